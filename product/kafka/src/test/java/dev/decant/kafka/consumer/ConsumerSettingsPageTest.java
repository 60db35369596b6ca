package dev.decant.kafka.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Compares the table of docs/consuming.md with the code; with -Ddocs.write=true the test writes it. */
class ConsumerSettingsPageTest {
  private static final Path PAGE = Path.of("../../docs/consuming.md");
  private static final String BEGIN = "<!-- settings -->\n";

  private static String table() {
    StringBuilder table = new StringBuilder("| setting | default | at least | what it is |\n|---|---|---|---|\n");
    for (ConsumerSetting s : ConsumerSetting.values()) {
      table.append("| `").append(s.kafkaName()).append("` | ").append(s.defaultValue()).append(" | ").append(s.least())
          .append(" | ").append(s.meaning()).append(" |\n");
    }
    return table.toString();
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

  @Test
  void propertiesAreWhatTheMethodsOfThatNameSet() {
    try (KafkaClient client = KafkaClient.connect("localhost:1")) {
      Map<String, String> byCalls = client.consumer(Serdes.string(), Serdes.longs()).group("billing")
          .maxPollRecords(7).offsetReset(OffsetReset.byDuration(Duration.ofHours(2))).autoCommit(false)
          .maxPollInterval(Duration.ofSeconds(90)).settings();
      ConsumerBuilder<String, Long> builder = client.consumer(Serdes.string(), Serdes.longs());
      builder.properties(Map.of("group.id", "billing", "max.poll.records", "7", "auto.offset.reset",
          "by_duration:PT2H", "enable.auto.commit", "FALSE", "max.poll.interval.ms", "90000"));
      assertThat(builder.settings()).isEqualTo(byCalls);
      assertThatThrownBy(() -> builder.properties(Map.of("max.poll.records", "0", "group.id", "other")))
          .hasMessage("max.poll.records: 0 is less than 1");
      assertThatThrownBy(() -> builder.properties(Map.of("auto.offset.reset", "by_duration:1h")))
          .hasMessageContaining("use earliest, latest, none or by_duration:PT1H");
      assertThatThrownBy(() -> builder.properties(Map.of("enable.auto.commit", "yes")))
          .hasMessage("enable.auto.commit: \"yes\" is no flag: use true or false");
      assertThat(builder.settings()).isEqualTo(byCalls);
    }
  }
}
