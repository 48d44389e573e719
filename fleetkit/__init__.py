"""fleetkit: a drone fleet's API as DataFrames, explorers and reports."""
