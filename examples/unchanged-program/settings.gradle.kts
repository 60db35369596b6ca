rootProject.name = "unchanged-program"
