"""The product's own HTTP routes, beside the LangGraph API: campaigns and the campaign assistant."""
