"""What fleetkit measures: frame in, small frame out."""
