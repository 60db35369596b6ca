rootProject.name = "tests-without-broker"
