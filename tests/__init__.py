"""A package, so that no library that installs a package of this name hides it."""
