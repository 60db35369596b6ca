package dev.decant.fix.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.MessageStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A killed process loses no order that send has accepted. Once, accepted orders waited for the loop in memory, without
 * a number. A kill lost up to thousands of them, and the counterparty saw no gap.
 */
@Timeout(60)
class AcceptedOrdersTest {
  @TempDir
  Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"file", "async"})
  void deathOfTheProcessLosesNoOrderThatSendHasAccepted(String kind) throws IOException, InterruptedException {
    SessionId sink = SessionId.of("FIX.4.4", "SINK", "SOURCE");
    try (FixEngine engine = FixEngine.builder().start();
        FixAcceptor acceptor = engine
            .acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (from, message) -> {})
            .session(SessionSettings.of(sink).build()).open()) {
      Process source = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
          "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
          OrderBurst.class.getName(), Integer.toString(acceptor.localAddress().getPort()), kind, folder.toString())
          .inheritIO().start();
      assertThat(source.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(source.exitValue()).isEqualTo(OrderBurst.ALL_ACCEPTED);
    }

    List<Long> numbers = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    try (MessageStore store = CrashTest.stores(kind, folder).open(SessionId.of("FIX.4.4", "SOURCE", "SINK"), 0)) {
      MessageView view = new MessageView();
      store.replayOutbound(1, Long.MAX_VALUE, (number, epochNanos, buffer, from, to) -> {
        view.parse(buffer, from, to, true);
        numbers.add(number);
        ids.add(view.string(11));
        return true;
      });
      assertThat(store.nextOutbound()).isEqualTo(2 + OrderBurst.ORDERS); // the Logon has number 1
    }
    assertThat(ids).hasSize(OrderBurst.ORDERS);
    assertThat(numbers).hasSize(OrderBurst.ORDERS).doesNotHaveDuplicates().isSorted();
  }
}
