"""The thread stream protocol of newer SDKs (`langchain-protocol`): commands in, filtered events out."""
