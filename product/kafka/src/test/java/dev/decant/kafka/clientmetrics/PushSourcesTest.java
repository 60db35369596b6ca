package dev.decant.kafka.clientmetrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the labels of the producers and consumers of one client. */
class PushSourcesTest {
  private record Source(boolean isProducer, Map<String, String> labels, int assignedPartitions,
      long largestLag) implements PushSource {}

  private static Source consumer(String... pairs) {
    return new Source(false, Map.of(pairs[0], pairs[1], pairs[2], pairs[3]), 2, 5);
  }

  private final PushSources sources = new PushSources();

  @Test
  void sharedLabelsAreThoseThatAllHave() {
    sources.add(consumer("group_id", "g", "client_rack", "r1"));
    sources.add(consumer("group_id", "g", "client_rack", "r2"));
    assertThat(sources.of(false)).hasSize(2);
    assertThat(PushSources.shared(sources.of(false))).isEqualTo(Map.of("group_id", "g"));
    assertThat(sources.of(true)).isEmpty();
  }

  /** Producers that were opened with the same settings are equal, but count one by one. */
  @Test
  void equalSourcesAreDifferentOnes() {
    Source first = new Source(true, Map.of(), 0, -1);
    Source second = new Source(true, Map.of(), 0, -1);
    assertThat(first).isEqualTo(second);
    sources.add(first);
    sources.add(second);
    sources.remove(first);
    assertThat(sources.of(true)).hasSize(1).first().isSameAs(second);
  }

  @Test
  void lastOneThatWasClosedKeepsItsLabelsUntilAnotherIsOpened() {
    Source gone = consumer("group_id", "g", "group_member_id", "m");
    sources.add(gone);
    sources.remove(gone);
    List<PushSource> left = sources.of(false);
    assertThat(left).hasSize(1);
    assertThat(left.getFirst().labels()).containsEntry("group_member_id", "m");
    assertThat(left.getFirst().assignedPartitions()).isZero();
    Source next = consumer("group_id", "h", "group_member_id", "n");
    sources.add(next);
    assertThat(sources.of(false)).hasSize(1).first().isSameAs(next);
  }
}
