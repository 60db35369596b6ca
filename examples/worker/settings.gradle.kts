rootProject.name = "worker"
