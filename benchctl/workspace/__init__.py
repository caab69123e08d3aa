"""The world a cell lives in: where its tree comes from, the folder it gets, the wall around it, its process."""
