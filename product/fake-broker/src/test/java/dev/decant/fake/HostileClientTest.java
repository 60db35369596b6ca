package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.protocol.ApiKey;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that malformed bytes close the connection from which they came, and nothing else. */
@Timeout(60)
class HostileClientTest {
  private static final int WAIT_MILLIS = 20_000;

  private static Socket connect(FakeCluster cluster) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), cluster.broker(1).port());
    socket.setSoTimeout(WAIT_MILLIS);
    return socket;
  }

  private static void assertServes(FakeCluster cluster) throws IOException {
    try (Socket socket = connect(cluster)) {
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      request(out, ApiKey.API_VERSIONS.id(), 0, new byte[0]);
      DataInputStream in = new DataInputStream(socket.getInputStream());
      assertThat(in.readInt()).isGreaterThan(10);
      assertThat(in.readInt()).isEqualTo(7);
    }
  }

  private static void request(DataOutputStream out, int api, int version, byte[] body) throws IOException {
    out.writeInt(2 + 2 + 4 + 2 + body.length);
    out.writeShort(api);
    out.writeShort(version);
    out.writeInt(7);
    out.writeShort(-1);
    out.write(body);
    out.flush();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, (100 << 20) + 1})
  void aLengthOutOfBoundsEndsTheConnection(int length) throws Exception {
    try (FakeCluster cluster = FakeCluster.start(); Socket socket = connect(cluster)) {
      new DataOutputStream(socket.getOutputStream()).writeInt(length);
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
      assertServes(cluster);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 4, 99, 1_000})
  void anUnknownApiEndsTheConnection(int api) throws Exception {
    try (FakeCluster cluster = FakeCluster.start(); Socket socket = connect(cluster)) {
      request(new DataOutputStream(socket.getOutputStream()), api, 0, new byte[0]);
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
      assertServes(cluster);
    }
  }

  @Test
  void aVersionThatIsNotOfferedEndsTheConnection() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().release(3, 3).start(); Socket socket = connect(cluster)) {
      request(new DataOutputStream(socket.getOutputStream()), ApiKey.METADATA.id(), 13, new byte[] {0, 1, 0, 0});
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void aNewerVersionOfApiVersionsIsAnsweredInTheOldestWithTheOwnRange() throws Exception {
    try (FakeCluster cluster = FakeCluster.builder().release(3, 3).start(); Socket socket = connect(cluster)) {
      request(new DataOutputStream(socket.getOutputStream()), ApiKey.API_VERSIONS.id(), 5, new byte[] {0, 1, 1, 0});
      DataInputStream in = new DataInputStream(socket.getInputStream());
      assertThat(in.readInt()).isEqualTo(4 + 2 + 4 + 6);
      assertThat(in.readInt()).isEqualTo(7);
      assertThat(in.readShort()).isEqualTo((short) 35);
      assertThat(in.readInt()).isEqualTo(1);
      assertThat(in.readShort()).isEqualTo(ApiKey.API_VERSIONS.id());
      assertThat(in.readShort()).isZero();
      assertThat(in.readShort()).isEqualTo((short) 3);
    }
  }

  @Test
  void garbageInABodyEndsTheConnection() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start()) {
      for (int i = 0; i < 200; i++) {
        byte[] body = new byte[random.nextInt(200)];
        random.nextBytes(body);
        try (Socket socket = connect(cluster)) {
          ApiKey api = List.of(ApiKey.values()).get(random.nextInt(ApiKey.values().length));
          request(new DataOutputStream(socket.getOutputStream()), api.id(), random.nextInt(14), body);
          socket.shutdownOutput();
        }
      }
      assertServes(cluster);
    } catch (IOException e) {
      throw new AssertionError("seed " + seed, e);
    }
  }
}
