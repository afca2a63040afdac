"""A slow, literal referee of Piquet for two players, written from the printed laws alone."""
