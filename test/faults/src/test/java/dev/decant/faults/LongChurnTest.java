package dev.decant.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.Listener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What a client holds stays flat while everything around it comes and goes, for {@code -Ddecant.churn.minutes}, 30 by
 * default. The first third of the rounds fills caches and pools. Then the mean of the last third is compared with that
 * of the second.
 */
@Tag("long")
@Timeout(value = 6, unit = TimeUnit.HOURS) // each wait has a deadline of its own
@ExtendWith(LoggedErrors.class)
class LongChurnTest {
  private static final Duration TIME = Duration.ofMinutes(Long.getLong("decant.churn.minutes", 30));
  private static final int LEAST_ROUNDS = 24;
  private static final long MIB = 1 << 20;

  @Test
  void whatAClientHoldsStaysFlatWhileAllAroundItComesAndGoes() throws Exception {
    Listener listener = Listener.builder("CHURN").scram().maxReauth(Duration.ofSeconds(4)).build();
    try (KafkaCluster cluster = KafkaCluster.builder().brokers(3).faultProxies(1).listener(listener)
        .jvmArguments(List.of("-Xms128m", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")).start();
        Churn churn = new Churn(cluster, listener)) {
      List<Footprint> footprints = new ArrayList<>();
      long end = System.nanoTime() + TIME.toNanos();
      while (System.nanoTime() - end < 0 || footprints.size() < LEAST_ROUNDS) {
        churn.round();
        footprints.add(churn.footprint());
        System.out.println("round " + footprints.size() + ": " + footprints.getLast());
      }
      // Code is compiled and classes are loaded to the end, and a broker that has just moved doubles some buffers.
      requireFlat("heap", footprints, Footprint::heap, 2 * MIB);
      requireFlat("direct memory", footprints, Footprint::direct, MIB);
      requireFlat("descriptors", footprints, Footprint::descriptors, 8);
      requireFlat("threads", footprints, Footprint::threads, 3);
      requireFlat("links", footprints, Footprint::links, 2);
      requireFlat("meters", footprints, Footprint::meters, 4);
    }
  }

  private static void requireFlat(String what, List<Footprint> footprints, ToLongFunction<Footprint> value,
      long tolerated) {
    int third = footprints.size() / 3;
    long before = mean(footprints.subList(third, 2 * third), value);
    long after = mean(footprints.subList(2 * third, footprints.size()), value);
    System.out.println(what + ": mean of the second third " + before + ", of the last third " + after);
    assertThat(after).as(what).isLessThanOrEqualTo(before + tolerated);
  }

  private static long mean(List<Footprint> footprints, ToLongFunction<Footprint> value) {
    return Math.round(footprints.stream().mapToLong(value).average().orElseThrow());
  }
}
