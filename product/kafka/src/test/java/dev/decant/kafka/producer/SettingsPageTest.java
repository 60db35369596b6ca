package dev.decant.kafka.producer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tables of docs/producing.md are those of the code; with -Ddocs.write=true they are written anew. */
class SettingsPageTest {
  private static final Path PAGE = Path.of("../../docs/producing.md");

  private static String row(Stream<String> cells) {
    return cells.collect(Collectors.joining(" | ", "| ", " |\n"));
  }

  /** Only an amount has one: among acks and flags nothing is less. */
  private static String least(ProducerSetting setting) {
    String text = setting.format(setting.least());
    return Character.isDigit(text.charAt(text.length() - 1)) ? text : "";
  }

  private static String settings() {
    StringBuilder table = new StringBuilder(row(Stream.of("setting", "default", "at least", "what it is")));
    table.append("|---|---|---|---|\n");
    for (ProducerSetting s : ProducerSetting.values()) {
      table.append(row(Stream.of("`" + s.kafkaName() + "`", s.format(s.defaultValue()), least(s),
          s.meaning())));
    }
    return table.toString();
  }

  private static String presets() {
    List<Preset> presets = List.of(Preset.values());
    StringBuilder table = new StringBuilder(
        row(Stream.concat(Stream.of("setting", "default"), presets.stream().map(Preset::name))));
    table.append("|---".repeat(presets.size() + 2)).append("|\n");
    Arrays.stream(ProducerSetting.values()).filter(s -> presets.stream().anyMatch(p -> p.settings().containsKey(s)))
        .forEach(s -> table.append(row(Stream.concat(Stream.of("`" + s.kafkaName() + "`", s.format(s.defaultValue())),
            presets.stream().map(p -> p.settings().containsKey(s) ? s.format(p.value(s)) : "")))));
    return table.toString();
  }

  private static String between(String page, String mark, String table) {
    String begin = "<!-- " + mark + " -->\n";
    int from = page.indexOf(begin) + begin.length();
    return page.substring(0, from) + table + page.substring(page.indexOf("<!-- end -->", from));
  }

  @Test
  void tablesOfThePageAreThoseOfTheCode() throws IOException {
    String page = Files.readString(PAGE);
    String expected = between(between(page, "settings", settings()), "presets", presets());
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(PAGE, expected);
    }
    assertThat(Files.readString(PAGE)).isEqualTo(expected);
  }
}
