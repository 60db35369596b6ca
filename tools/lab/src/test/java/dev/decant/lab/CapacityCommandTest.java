package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class CapacityCommandTest {
  private final CommandLines lines = new CommandLines();

  @Tag("full")
  @Test
  void stepsTellWhatTheyTook() {
    assertThat(lines.run("capacity", "--brokers", "3", "--partitions", "200", "--members", "10", "--idle", "1"))
        .isZero();
    assertThat(lines.out()).containsSubsequence("metadata ", "partitions of the cluster", "metadata.mb", "produce ",
        "records", "consume ", "idle.fetches_s", "group-classic ", "leave.ms", "group-consumer ", "leave.ms");
  }

  @Test
  void sizesHaveLimits() {
    assertThat(lines.run("capacity", "--members", "0")).isEqualTo(Decant.USAGE);
    assertThat(lines.err()).contains("--members: 0 is not in 1..10000");
  }
}
