package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ReportCommandTest {
  private static final String SCENARIOS = """
      {"format": 1, "finished": "2026-01-02T03:04:05Z", "command": ["stress"], "cluster": "embedded",
       "environment": {"cpus": 2, "cpu_model": "x", "java_version": "25"}, "client_jvm_flags": [], "scenarios": [
        {"name": "mine", "title": "</script><b>T", "failure": "", "latency_of": "a call", "text": "", "bars": [],
         "samples": [], "clients": [{"client": "decant", "metrics": {"records_per_s": 7}}]}]}
      """;
  private static final String STRESS = """
      {"format": 1, "finished": "2026-01-02T03:04:05Z", "command": ["stress"], "cluster": "embedded",
       "environment": {"cpus": 2, "cpu_model": "x", "java_version": "25"}, "ratios": [], "rows": [
        {"scenario": "produce", "client": "decant", "record_size_bytes": 100, "records_per_s": 8,
         "latency_us": {"p50": 3}}]}
      """;

  @TempDir
  private Path directory;

  private final CommandLines lines = new CommandLines();

  private String file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text).toString();
  }

  private String page(String... files) throws IOException {
    Path out = directory.resolve("pages").resolve("page.html");
    String[] command = new String[files.length + 3];
    command[0] = "report";
    command[1] = "--out";
    command[2] = out.toString();
    System.arraycopy(files, 0, command, 3, files.length);
    assertThat(lines.run(command)).as(lines.err()).isZero();
    return Files.readString(out);
  }

  @Test
  void aSavedResultHasThePageThatItHadWhenItWasWritten() throws IOException {
    assertThat(page(file("a.json", SCENARIOS))).doesNotContain("@data@", "</script><b>", "src=")
        .contains("id=\"scenarios\"", "\"mine\"", "Chart");
    assertThat(page(file("b.json", STRESS))).contains("decant stress", "Latency by percentile");
  }

  @Test
  void severalResultsStandSideBySideWhateverTheyAreOf() throws IOException {
    String page = page(file("a.json", SCENARIOS), file("b.json", STRESS), file("c.json", SCENARIOS.replace("7", "9")));

    assertThat(page).doesNotContain("@data@", "</script><b>", "src=").contains("Results side by side",
        "{\"name\":\"mine\",\"metrics\":[\"records_per_s\"],\"columns\":[{\"file\":1,\"client\":\"decant\","
            + "\"values\":{\"records_per_s\":7}},{\"file\":3,\"client\":\"decant\",\"values\":{\"records_per_s\":9}}]}",
        "\"name\":\"produce, 100 bytes\"", "\"latency_us p50\":3");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"{ | is no JSON", "[] | no \"format\": 1", "{\"format\": 2} | no \"format\": 1",
      "{\"format\": 1, \"environment\": {}} | neither scenarios nor rows"})
  void aFileThatIsNoResultIsRefusedWithTheReason(String text, String why) throws IOException {
    assertThat(lines.run("report", file("wrong.json", text))).isEqualTo(Decant.USAGE);

    assertThat(lines.err().strip()).startsWith("decant: ").contains("wrong.json", why).hasLineCount(1);
  }
}
