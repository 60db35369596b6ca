package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Files that Boot and IDEs read, beside the classes that they name. */
class MetadataTest {
  private static final String METADATA = "/META-INF/spring-configuration-metadata.json";
  private static final String CONFIGURATIONS = "META-INF/spring/"
      + "org.springframework.boot.autoconfigure.AutoConfiguration.imports";

  private static JsonNode metadata() throws IOException {
    try (InputStream file = DecantProperties.class.getResourceAsStream(METADATA)) {
      return new ObjectMapper().readTree(Objects.requireNonNull(file));
    }
  }

  @Test
  void idesKnowEveryPropertyOfTheStarter() throws IOException {
    List<String> described = new ArrayList<>();
    metadata().get("properties").forEach(property -> {
      described.add(property.get("name").asText());
      assertThat(property.get("description").asText()).endsWith(".");
    });
    for (var component : DecantProperties.class.getRecordComponents()) {
      assertThat(described)
          .contains("decant." + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT));
    }
    String page = Files.readString(Path.of("../../docs/spring-boot.md"));
    assertThat(described).filteredOn(name -> !name.startsWith("management.endpoint."))
        .allSatisfy(name -> assertThat(page).contains("| `" + name + "` |"));
    List<String> values = new ArrayList<>();
    metadata().get("hints").get(0).get("values").forEach(value -> values.add(value.get("value").asText()));
    assertThat(values).containsExactlyElementsOf(Arrays.stream(DecantProperties.Unsupported.values())
        .map(value -> value.name().toLowerCase(Locale.ROOT)).toList());
  }

  @Test
  void bootFindsEveryConfigurationOfTheStarter() throws IOException {
    List<String> listed;
    try (InputStream file = Objects
        .requireNonNull(DecantProperties.class.getClassLoader().getResourceAsStream(CONFIGURATIONS))) {
      listed = new String(file.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8).lines().toList();
    }
    try (var files = Files.list(Path.of("src/main/java/dev/decant/spring/boot"))) {
      List<String> present = files.map(file -> file.getFileName().toString().replace(".java", ""))
          .filter(name -> name.endsWith("AutoConfiguration"))
          .map(name -> DecantProperties.class.getPackageName() + "." + name).toList();
      assertThat(listed).containsExactlyInAnyOrderElementsOf(present).isSorted();
    }
  }
}
