package dev.decant.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Addresses within the process: which ones connect, and the error of an unused one. */
class MemoryNetworkTest {
  private static final String HOST = "network-test.in-memory.invalid";

  private static byte written(MemoryTransport from, MemoryTransport to, int value) throws IOException {
    from.write(new ByteBuffer[] {ByteBuffer.wrap(new byte[] {(byte) value})}, 0, 1);
    ByteBuffer target = ByteBuffer.allocate(1);
    return to.read(target) == 1 ? target.get(0) : -1;
  }

  @Test
  void clientsReachTheirServerInTheOrderOfTheirConnects() throws IOException {
    AtomicInteger pending = new AtomicInteger();
    try (MemoryNetwork.Listener listener = MemoryNetwork.listen(HOST, 1, pending::incrementAndGet)) {
      MemoryTransport first = MemoryNetwork.connect(HOST, 1);
      MemoryTransport second = MemoryNetwork.connect(HOST, 1);
      assertThat(pending).hasValue(2);
      assertThat(written(first, first.peer(), 7)).isEqualTo((byte) 7);
      assertThat(listener.accept()).isSameAs(first.peer());
      assertThat(listener.accept()).isSameAs(second.peer());
      assertThat(listener.accept()).isNull();
    }
  }

  @Test
  void anAddressIsTakenOnceAndFreeAfterItsListener() throws IOException {
    MemoryNetwork.Listener first = MemoryNetwork.listen(HOST, 2, () -> {});
    assertThatThrownBy(() -> MemoryNetwork.listen(HOST, 2, () -> {})).isInstanceOf(BindException.class)
        .hasMessageContaining(HOST + ":2 is in use");
    first.close();
    MemoryNetwork.Listener second = MemoryNetwork.listen(HOST, 2, () -> {});
    first.close(); // must not affect the second one
    assertThat(MemoryNetwork.connect(HOST, 2).peer()).isSameAs(second.accept());
    second.close();
    assertThatThrownBy(() -> MemoryNetwork.connect(HOST, 2)).isInstanceOf(ConnectException.class)
        .hasMessageContaining("nothing listens at " + HOST + ":2, an address within this process");
  }

  @Test
  void connectionsThatNobodyHasTakenEndWithTheirListener() throws IOException {
    MemoryNetwork.Listener listener = MemoryNetwork.listen(HOST, 3, () -> {});
    MemoryTransport client = MemoryNetwork.connect(HOST, 3);
    listener.close();
    assertThat(client.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    client.close();
  }

  @Test
  void tooManyConnectionsThatNobodyTakesAreRefused() throws IOException {
    List<MemoryTransport> clients = new ArrayList<>();
    try (MemoryNetwork.Listener listener = MemoryNetwork.listen(HOST, 4, () -> {})) {
      for (int i = 0; i < 1_024; i++) {
        clients.add(MemoryNetwork.connect(HOST, 4));
      }
      assertThatThrownBy(() -> MemoryNetwork.connect(HOST, 4)).hasMessageContaining("too many connections wait there");
      assertThat(listener.accept()).isNotNull();
      assertThat(MemoryNetwork.connect(HOST, 4)).isNotNull();
    }
    assertThat(clients).hasSize(1_024);
  }

  @Test
  void hostsThatNameServersMayKnowAreNoneOfThisNetwork() {
    assertThat(MemoryNetwork.isHost("localhost")).isFalse();
    assertThat(MemoryNetwork.isHost(HOST)).isTrue();
    assertThat(MemoryNetwork.isAddress(HOST + ":9092")).isTrue();
    assertThat(MemoryNetwork.isAddress(HOST)).isFalse();
    assertThat(MemoryNetwork.isAddress("localhost:9092")).isFalse();
    assertThatThrownBy(() -> MemoryNetwork.listen("localhost", 5, () -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
