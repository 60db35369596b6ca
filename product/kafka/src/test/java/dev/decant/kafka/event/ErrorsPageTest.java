package dev.decant.kafka.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.protocol.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** docs/errors.md has a row for each code of ours and for each kind of Kafka's errors, and for nothing else. */
class ErrorsPageTest {
  private static List<String> rows(String page, String head) {
    List<String> names = new ArrayList<>();
    boolean inside = false;
    for (String line : page.lines().toList()) {
      inside = line.startsWith("| " + head + " |") || (inside && line.startsWith("|"));
      if (inside && line.startsWith("| `")) {
        names.add(line.substring(3, line.indexOf('`', 3)));
      }
    }
    return names;
  }

  @Test
  void pageNamesEveryCodeAndKind() throws IOException {
    String page = Files.readString(Path.of("../../docs/errors.md"));
    assertThat(rows(page, "code")).containsExactlyElementsOf(Arrays.stream(ErrorKind.values()).map(ErrorKind::code)
        .toList());
    assertThat(rows(page, "kind")).containsExactlyInAnyOrderElementsOf(Arrays.stream(ErrorCode.Kind.values())
        .map(ErrorCode.Kind::name).toList());
  }
}
