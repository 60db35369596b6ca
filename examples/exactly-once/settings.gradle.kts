rootProject.name = "exactly-once"
