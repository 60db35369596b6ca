rootProject.name = "fix-to-kafka"
