package dev.decant.faults.work;

import dev.decant.faults.Seeds;
import dev.decant.faults.SharedCluster;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.work.Order;
import dev.decant.testkit.KafkaCluster;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Each fault that ends or begins something, once. {@link LongWorkFaultsTest} makes them by chance. */
@Tag("full")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@ExtendWith(SharedCluster.class)
class WorkFaultsTest {
  private static final int RECORDS_BETWEEN_FAULTS = 100;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path folder;

  @Test
  void nothingIsLostOrOutOfOrderAndNothingCommittedIsDoneAgain(KafkaCluster cluster) throws Exception {
    long seed = Seeds.next("parallel work");
    Random random = new Random(seed);
    WorkMode mode = new WorkMode(Order.BY_KEY, GroupProtocol.CLASSIC, false, false, false);
    try (WorkBench bench = new WorkBench(cluster, mode, folder, seed)) {
      bench.addMember();
      bench.addMember();
      bench.awaitStarted();
      for (MemberFault fault : new MemberFault[] {MemberFault.ADD, MemberFault.KILL, MemberFault.STOP}) {
        fault.happen(bench, random);
        bench.awaitStarted();
        bench.awaitDone(bench.done() + RECORDS_BETWEEN_FAULTS);
      }
      BrokerFault.make(BrokerFault.KILL, bench, random);
      bench.awaitDone(bench.done() + RECORDS_BETWEEN_FAULTS);
      WorkRun.judge(bench, mode, folder, seed);
    }
  }
}
