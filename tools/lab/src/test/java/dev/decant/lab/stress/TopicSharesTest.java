package dev.decant.lab.stress;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class TopicSharesTest {
  private static final List<String> NAMES = List.of("a", "b");

  @Test
  void aTopicMayHaveOneRecordMoreForEachThread() {
    List<long[]> ends = List.of(new long[] {5, 4}, new long[] {0, 7});

    assertThatCode(() -> TopicShares.check(NAMES, ends, 2)).doesNotThrowAnyException();
    assertThatThrownBy(() -> TopicShares.check(NAMES, ends, 1)).isInstanceOf(IllegalStateException.class)
        .hasMessage("the topic a has 9 records, and another one 7; each is to have as many");
  }
}
