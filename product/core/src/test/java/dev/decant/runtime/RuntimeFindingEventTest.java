package dev.decant.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuntimeFindingEventTest {
  @Test
  void findingsAreInTheRecordingThatRunsWhenTheyAreMade(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("findings.jfr");
    FakeProbes probes = new FakeProbes().collector("UseSerialGC", true);
    Finding finding;
    try (Recording recording = new Recording()) {
      recording.enable("dev.decant.RuntimeFinding");
      recording.start();
      finding = probes.check().finding("gc.serial").orElseThrow();
      recording.stop();
      recording.dump(file);
    }
    probes.check(); // no recording runs

    List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals("dev.decant.RuntimeFinding")).toList();
    assertThat(events).singleElement().satisfies(event -> {
      assertThat(event.getString("id")).isEqualTo("gc.serial");
      assertThat(event.getString("severity")).isEqualTo("WARNING");
      assertThat(event.getString("measured")).isEqualTo(finding.measured());
      assertThat(event.getString("why")).isEqualTo(finding.why());
      assertThat(event.getString("cure")).isEqualTo(finding.cure());
    });
  }
}
