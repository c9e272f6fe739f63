# no files yet
