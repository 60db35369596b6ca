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
  implementation("dev.decant:decant-fix")
}

application { mainClass = "com.example.fix.Venue" }
