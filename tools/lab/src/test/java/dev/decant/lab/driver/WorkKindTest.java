package dev.decant.lab.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that works are found by their registration alone. */
class WorkKindTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SERVICES = "/META-INF/services/" + WorkKind.class.getName();

  @Test
  void messagesListTheWorksInTheOrderInWhichTheyAreRegistered() {
    assertThat(WorkKind.labels()).containsExactly("produce", "send-and-wait", "transact", "pending", "consume", "tail",
        "idle", "cold-start", "connect", "churn", "end-to-end", "there-and-back", "work-key", "work-retry",
        "work-paced", "handlers", "park", "park-untimed", "round-trip", "bare-connect", "bare-tail", "bare-consume",
        "bare-produce", "bare-send-and-wait", "bare-end-to-end");
    assertThat(WorkKind.of(WorkKind.JDK)).extracting(WorkKind::label)
        .containsExactly("handlers", "park", "park-untimed");
  }

  @Test
  void eachClassOfAKindIsRegistered() throws Exception {
    try (InputStream services = Objects.requireNonNull(WorkKind.class.getResourceAsStream(SERVICES))) {
      List<String> registered = new String(services.readAllBytes(), StandardCharsets.UTF_8).lines()
          .filter(line -> !line.startsWith("#")).toList();
      assertThat(registered).containsExactlyInAnyOrderElementsOf(kindsAmongTheClasses());
    }
  }

  private static List<String> kindsAmongTheClasses() throws Exception {
    Path classes = Path.of(WorkKind.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    String loadsKinds = WorkType.class.getName().replace('.', '/');
    try (Stream<Path> files = Files.walk(classes.resolve("dev/decant/lab/driver"))) {
      return files.filter(file -> file.toString().endsWith("Type.class") && file.toString().contains("$"))
          .filter(file -> text(file).contains(loadsKinds))
          .map(file -> classes.relativize(file).toString().replace('\\', '.').replace('/', '.'))
          .map(name -> name.substring(0, name.length() - ".class".length())).toList();
    }
  }

  private static String text(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aSpecificationHasTheNameOfItsWorkAndComesBackEqual() throws Exception {
    WorkSpec spec = new WorkSpec(WorkSpec.DECANT, WorkKind.named("work-retry"), WorkSpec.Access.plain("a:1"),
        WorkSpec.Topics.one(1), WorkSpec.Load.plain(1, 1), new WorkSpec.Amount(0, 1, 0, 0), Map.of(), Map.of());
    String json = DriverMain.argument(spec);
    assertThat(JSON.readTree(json).get("work").asText()).isEqualTo("work-retry");
    assertThat(JSON.readValue(json, WorkSpec.class)).isEqualTo(spec);
  }

  @Test
  void aNameThatNoWorkHasIsRefused() {
    assertThat(WorkKind.labelled("dance")).isEmpty();
    assertThatThrownBy(() -> WorkKind.named("dance")).isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("there is no work \"dance\"; there are [produce, ");
  }
}
