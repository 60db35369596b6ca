package dev.decant.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A client's outgoing connection once took the port of a broker that was about to start. */
class LoopbackPortsTest {
  @Test
  void portsAreFreeAndBelowThoseOfOutgoingConnections() {
    try (LoopbackPorts ports = LoopbackPorts.reserve(9)) {
      assertThat(ports.all()).hasSize(9).doesNotHaveDuplicates();
      assertThat(IntStream.of(ports.all())).allMatch(port -> port < LoopbackPorts.END);
      for (int port : ports.all()) {
        assertThatCode(() -> new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close())
            .doesNotThrowAnyException();
      }
    }
  }

  @Test
  void whatIsReservedIsNotReservedAgainUntilItIsClosed() {
    List<LoopbackPorts> held = new ArrayList<>();
    try {
      for (int i = 0; i < 40; i++) {
        held.add(LoopbackPorts.reserve(27));
      }
      assertThat(held.stream().flatMapToInt(ports -> IntStream.of(ports.all())).toArray()).hasSize(40 * 27)
          .doesNotHaveDuplicates();
    } finally {
      held.forEach(LoopbackPorts::close);
    }
  }
}
