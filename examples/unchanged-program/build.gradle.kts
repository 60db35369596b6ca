plugins {
  application
}

group = "com.example"
version = "1"

java { toolchain { languageVersion = JavaLanguageVersion.of(21) } }

repositories {
  mavenLocal()
  mavenCentral()
}

dependencies {
  implementation(platform("dev.decant:decant-bom:0.1.0-SNAPSHOT"))
  implementation("org.apache.kafka:kafka-clients:4.3.1")
  runtimeOnly("org.slf4j:slf4j-simple:1.7.36")
}

application { mainClass = "com.example.unchanged.Orders" }

// the agent is a file for the command line, no dependency of the program
val agent: Configuration by configurations.creating

dependencies { agent("dev.decant:decant-agent-all:0.1.0-SNAPSHOT") { isTransitive = false } }

tasks.named<JavaExec>("run") { jvmArgs("-javaagent:${agent.singleFile}") }
