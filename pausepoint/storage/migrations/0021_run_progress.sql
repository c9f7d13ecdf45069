-- How far a run had come when it was last continued: a run that gets further between two crashes is not the one that causes them.
ALTER TABLE runs ADD COLUMN progress TEXT;
