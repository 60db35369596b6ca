package dev.decant.kafka.jfr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.event.Registration;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.ValueDescriptor;
import org.junit.jupiter.api.Test;

/** The table of docs/observing.md is that of the code; with -Ddocs.write=true it is written anew. */
@SuppressWarnings("try") // a resource may serve its block by being open: the block need not name it
class EventsPageTest {
  private static final Path PAGE = Path.of("../../docs/observing.md");
  private static final String BEGIN = "<!-- jfr -->\n";
  private static final String PREFIX = "dev.decant.kafka.";
  private static final Set<String> OF_EVERY_EVENT = Set.of("startTime", "duration", "eventThread", "stackTrace");

  private static String row(EventType type) {
    String fields = type.getFields().stream().map(ValueDescriptor::getName).filter(f -> !OF_EVERY_EVENT.contains(f))
        .map(f -> "`" + f + "`").collect(Collectors.joining(", "));
    return "| `" + type.getName().substring(PREFIX.length()) + "` | " + type.getDescription() + " | " + fields + " |\n";
  }

  /** The types are known once the recorders are. */
  private static String table() {
    Map<String, String> rows = new TreeMap<>();
    try (Registration unused = JfrEvents.watch(new Telemetry(Clock.system()))) {
      FlightRecorder.getFlightRecorder().getEventTypes().stream().filter(t -> t.getName().startsWith(PREFIX))
          .forEach(t -> rows.put(t.getName(), row(t)));
    }
    return "| event | meaning | fields |\n|---|---|---|\n" + String.join("", rows.values());
  }

  @Test
  void tableOfThePageIsThatOfTheCode() throws IOException {
    String page = Files.readString(PAGE);
    int from = page.indexOf(BEGIN) + BEGIN.length();
    String expected = page.substring(0, from) + table() + page.substring(page.indexOf("<!-- end -->", from));
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(PAGE, expected);
    }
    assertThat(Files.readString(PAGE)).isEqualTo(expected);
  }
}
