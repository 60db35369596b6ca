package dev.decant.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The log says why the agent has switched nothing. */
class SwitchCountTest {
  private static String said(Consumer<AgentLog> seen) {
    AgentLog log = new AgentLog(AgentOptions.Detail.OFF);
    seen.accept(log);
    log.end("");
    log.end(" in the first minute");
    List<String> notes = log.report().stream().filter(line -> line.startsWith("note: nothing")).toList();
    assertThat(notes).hasSizeLessThan(2);
    return notes.isEmpty() ? "" : notes.getFirst();
  }

  @Test
  void theLikelyReasonIsSaid() {
    assertThat(said(log -> {})).isEqualTo("note: nothing was switched: no class constructs a KafkaProducer or "
        + "KafkaConsumer, and no kafka-clients was loaded");
    assertThat(said(log -> log.count().loaded())).endsWith(
        "kafka-clients was loaded, and no class that constructs its clients by name");
    assertThat(said(log -> {
      log.count().loaded();
      log.count().excluded("org.apache.kafka.streams.Supplier");
      log.count().excluded("app.Other");
    })).endsWith(": org.apache.kafka.streams.Supplier constructs clients, and is not among the classes of include and "
        + "exclude");
    assertThat(said(log -> log.relocated("com.acme.kafka"))).endsWith(
        ": com.acme.kafka looks like a relocated kafka-clients; name it by prefix=com.acme.kafka");
    assertThat(said(log -> {
      log.relocated("com.acme.kafka");
      log.keptOnApache("app.A", "the program has kafka-clients 3.6.2, and Decant takes 3.7 and newer");
      log.keptOnApache("app.B", "it extends KafkaProducer");
    })).endsWith(": all were left alone, the first is app.A: the program has kafka-clients 3.6.2, and Decant takes 3.7 "
        + "and newer");
  }

  @Test
  void oneClientThatIsSwitchedIsEnough() {
    assertThat(said(log -> {
      log.keptOnApache("app.A", "reason");
      log.switched(ClientKind.PRODUCER, "app.B");
    })).isEmpty();
  }

  @Test
  void theFirstLineHasTheReleaseOfTheBuild() throws Exception {
    Matcher version = Pattern.compile("<version>([0-9.]+)(-SNAPSHOT)?</version>")
        .matcher(Files.readString(Path.of("pom.xml")));

    assertThat(version.find()).isTrue();
    assertThat(DecantAgent.VERSION).isEqualTo(version.group(1));
  }
}
