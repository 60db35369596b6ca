package dev.decant.lab.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LiveFeedTest {
  private final LiveFeed feed = new LiveFeed(page -> {});

  private Reader reader(String lastId) {
    return Objects.requireNonNull(feed.subscribe(lastId));
  }

  /** Returns all that a reader receives of a run that has ended. */
  private static String text(Reader reader) throws IOException, InterruptedException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    reader.serve(out);
    return out.toString(StandardCharsets.UTF_8);
  }

  private void end() {
    feed.end(Duration.ZERO);
  }

  @Test
  void anEventHasItsIdItsTypeAndItsDataLineByLine() {
    String frame = ServerSentEvent.of("run", 7, "sample", 0, "{\"a\":1,\n\"b\":\"ü\"}").frame();

    assertThat(frame)
        .isEqualTo("id: run-7\nevent: sample\ndata: {\"a\":1,\ndata: \"b\":\"ü\"}\n\n");
  }

  @Test
  void anIdOfAnotherRunOrNoneAtAllIsTheBegin() {
    assertThat(ServerSentEvent.numberOf("run", "run-12")).isEqualTo(12);
    assertThat(ServerSentEvent.numberOf("run", "other-12")).isZero();
    assertThat(ServerSentEvent.numberOf("run", "run-")).isZero();
    assertThat(ServerSentEvent.numberOf("run", "run-12345678901234567890")).isZero();
    assertThat(ServerSentEvent.numberOf("run", "")).isZero();
  }

  @Test
  void whoComesLateGetsWhatStillMattersThenWhatComes() throws Exception {
    feed.publish("plan", -1, "the plan");
    feed.publish("start", 0, "begun 0");
    feed.publish("rate", 0, "fast 0");
    feed.publish("sample", 0, "taken 0");
    feed.publish("start", 1, "begun 1");
    feed.publish("rate", 1, "fast 1");
    Reader late = reader("");
    feed.publish("rate", 1, "faster 1");
    end();

    assertThat(text(late)).startsWith("retry: ").containsSubsequence("the plan", "taken 0", "begun 1", "fast 1",
        "faster 1").doesNotContain("begun 0", "fast 0");
  }

  @Test
  void whoComesBackGetsWhatHeHasMissed() throws Exception {
    feed.publish("plan", -1, "the plan");
    Reader first = reader("");
    feed.publish("start", 0, "begun 0");
    end();
    String text = text(first);
    String id = text.lines().filter(line -> line.startsWith("id: ")).findFirst().orElseThrow().substring(4);

    assertThat(text(reader(id))).contains("begun 0").doesNotContain("the plan");
    assertThat(text(reader("of another run-1"))).contains("the plan", "begun 0");
  }

  @Test
  void onlyTheLastLinesAreKept() throws Exception {
    for (int i = 0; i < LiveFeed.MOST_LINES + 5; i++) {
      feed.publish("line", -1, "line " + i + ".");
    }
    end();

    assertThat(text(reader(""))).doesNotContain("line 4.").contains("line 5.", "line " + (LiveFeed.MOST_LINES + 4));
  }

  @Test
  void aReaderThatTakesNothingIsDroppedAndNobodyWaitsForIt() throws Exception {
    Reader slow = reader("");
    for (int i = 0; i <= Reader.MOST_WAITING; i++) {
      assertThat(feed.readers()).isEqualTo(1);
      feed.publish("rate", 0, "fast");
    }

    assertThat(feed.readers()).isZero();
    assertThat(text(slow)).as("its connection is closed as soon as it takes bytes again").doesNotContain("fast");
  }

  @Test
  void thereAreOnlySoManyReaders() {
    for (int i = 0; i < LiveFeed.MOST_READERS; i++) {
      feed.unsubscribe(reader(""));
      var unused = reader("");
    }

    assertThat(feed.subscribe("")).isNull();
  }
}
