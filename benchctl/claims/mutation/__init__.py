"""Would the checker see it? Every bound number of a true page is changed, and so is every number behind it."""
