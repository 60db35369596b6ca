package dev.decant.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.loop.EventLoop;
import dev.decant.time.Clock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection within the process, on loops that the test drives: reads, reports, held and lost bytes. */
@Timeout(60)
class MemoryTransportTest {
  private static final int CAPACITY = 100;

  private final EventLoop loop = EventLoop.withoutThread("one end", Clock.system());
  private final EventLoop other = EventLoop.withoutThread("other end", Clock.system());
  private final MemoryTransport client = MemoryTransport.open(CAPACITY);
  private final MemoryTransport server = client.peer();
  private final List<Integer> clientReports = new ArrayList<>();
  private final List<Integer> serverReports = new ArrayList<>();

  @AfterEach
  void close() {
    loop.close();
    other.close();
  }

  private static int report(List<Integer> reports, int operations) {
    reports.add(operations);
    return 1;
  }

  private void registerBoth() throws IOException {
    loop.execute(() -> register(client, loop, clientReports));
    other.execute(() -> register(server, other, serverReports));
    runBoth();
  }

  private static void register(MemoryTransport end, EventLoop on, List<Integer> reports) {
    try {
      end.register(on, operations -> report(reports, operations));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void runBoth() {
    clientReports.clear();
    serverReports.clear();
    loop.doWork();
    other.doWork();
  }

  private static int write(Transport end, String text) throws IOException {
    return (int) end.write(new ByteBuffer[] {ByteBuffer.wrap(text.getBytes(UTF_8))}, 0, 1);
  }

  private static String read(Transport end) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(1_000);
    int read = end.read(target);
    return read < 0 ? "end" : new String(target.array(), 0, read, UTF_8);
  }

  @Test
  void bytesThatAreWrittenBeforeTheOtherEndIsRegisteredAreReported() throws IOException {
    assertThat(write(client, "early")).isEqualTo(5);
    registerBoth();
    assertThat(server.establish()).isTrue();
    assertThat(serverReports).containsExactly(SelectionKey.OP_READ);
    assertThat(clientReports).isEmpty();
    assertThat(read(server)).isEqualTo("early");
    assertThat(server.isDrained()).isTrue();
    runBoth();
    assertThat(serverReports).isEmpty();
  }

  @Test
  void agentsThatRanBeforeItInARoundSeeWhatItHasReceived() throws Exception {
    // The loop slept between the two: an agent that had to send something then did so a heartbeat later.
    AtomicBoolean isReceived = new AtomicBoolean();
    AtomicBoolean isSeen = new AtomicBoolean();
    loop.execute(() -> {
      loop.add(() -> {
        isSeen.set(isReceived.get());
        return 0;
      });
      try {
        client.register(loop, operations -> {
          isReceived.set(true);
          client.reportReadable(false);
          return 1;
        });
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    });
    loop.doWork();
    loop.doWork();
    write(server, "bytes");
    assertThat(loop.driveUntil(isSeen::get, System.nanoTime() + Duration.ofSeconds(5).toNanos())).isTrue();
  }

  @Test
  void readinessIsReportedUntilAllIsRead() throws IOException {
    registerBoth();
    write(client, "bytes");
    for (int i = 0; i < 3; i++) {
      runBoth();
      assertThat(serverReports).containsExactly(SelectionKey.OP_READ);
    }
    ByteBuffer three = ByteBuffer.allocate(3);
    assertThat(server.read(three)).isEqualTo(3);
    assertThat(server.isDrained()).isFalse();
    runBoth();
    assertThat(serverReports).containsExactly(SelectionKey.OP_READ);
    assertThat(read(server)).isEqualTo("es");
    assertThat(read(server)).isEmpty();
  }

  @Test
  void anEndThatIsHeldBackHearsOfBytesOnceItWantsThem() throws IOException {
    registerBoth();
    server.reportReadable(false);
    write(client, "bytes");
    runBoth();
    assertThat(serverReports).isEmpty();
    server.reportReadable(true);
    runBoth();
    assertThat(serverReports).containsExactly(SelectionKey.OP_READ);
  }

  @Test
  void aWriterIsHeldBackAtTheBoundAndHearsOfRoomWhenHalfOfItIsFree() throws IOException {
    registerBoth();
    assertThat(write(client, "x".repeat(70))).isEqualTo(70);
    assertThat(write(client, "y".repeat(70))).isEqualTo(30);
    assertThat(write(client, "z")).isZero();
    client.reportWritable(true);
    runBoth();
    assertThat(clientReports).isEmpty();
    assertThat(server.read(ByteBuffer.allocate(49))).isEqualTo(49);
    runBoth();
    assertThat(clientReports).isEmpty();
    assertThat(server.read(ByteBuffer.allocate(1))).isEqualTo(1);
    runBoth();
    assertThat(clientReports).containsExactly(SelectionKey.OP_WRITE);
    client.reportWritable(false);
    runBoth();
    assertThat(clientReports).isEmpty();
  }

  @Test
  void severalBuffersAreWrittenInOrder() throws IOException {
    registerBoth();
    ByteBuffer[] sources = {ByteBuffer.wrap("not".getBytes(UTF_8)), ByteBuffer.wrap("one ".getBytes(UTF_8)),
        ByteBuffer.allocate(0), ByteBuffer.wrap("two".getBytes(UTF_8)), ByteBuffer.wrap("not".getBytes(UTF_8))};
    assertThat(client.write(sources, 1, 3)).isEqualTo(7);
    assertThat(sources[1].hasRemaining() || sources[3].hasRemaining()).isFalse();
    assertThat(read(server)).isEqualTo("one two");
  }

  @Test
  void halfOfAConnectionEndsAndTheOtherHalfGoesOn() throws IOException {
    registerBoth();
    write(client, "last");
    client.shutdownOutput();
    assertThatThrownBy(() -> write(client, "more")).isInstanceOf(ClosedChannelException.class);
    runBoth();
    assertThat(serverReports).containsExactly(SelectionKey.OP_READ);
    assertThat(read(server)).isEqualTo("last");
    assertThat(read(server)).isEqualTo("end");
    assertThat(write(server, "response")).isEqualTo(8);
    assertThat(read(client)).isEqualTo("response");
    assertThat(read(client)).isEmpty();
  }

  @Test
  void whatAnEndHasWrittenBeforeItClosesIsRead() throws IOException {
    registerBoth();
    write(client, "last");
    write(server, "lost, since the other end closes");
    client.close();
    client.close();
    assertThatThrownBy(() -> read(client)).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> write(client, "x")).isInstanceOf(ClosedChannelException.class);
    runBoth();
    assertThat(clientReports).isEmpty();
    assertThat(serverReports).containsExactly(SelectionKey.OP_READ);
    assertThat(read(server)).isEqualTo("last");
    assertThat(read(server)).isEqualTo("end");
    assertThatThrownBy(() -> write(server, "x")).hasMessage("Broken pipe");
    server.close();
    runBoth();
    assertThat(serverReports).isEmpty();
  }

  @Test
  void aWriterThatWaitsForRoomHearsThatTheOtherEndIsClosed() throws IOException {
    registerBoth();
    write(client, "x".repeat(CAPACITY));
    client.reportWritable(true);
    server.close();
    runBoth();
    assertThat(clientReports).containsExactly(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    assertThatThrownBy(() -> write(client, "x")).hasMessage("Broken pipe");
    assertThat(read(client)).isEqualTo("end");
  }

  @Test
  void anEndThatIsNeverRegisteredCloses() throws IOException {
    loop.execute(() -> register(client, loop, clientReports));
    runBoth();
    server.close();
    runBoth();
    assertThat(clientReports).containsExactly(SelectionKey.OP_READ);
    assertThat(read(client)).isEqualTo("end");
    client.close();
    assertThatThrownBy(() -> client.register(loop, operations -> 0)).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void anEndMayCloseAnotherOneOfItsLoopWhileThatIsReady() throws IOException {
    MemoryTransport second = MemoryTransport.open(CAPACITY);
    loop.execute(() -> {
      try {
        client.register(loop, operations -> {
          client.close();
          second.close();
          return report(clientReports, operations);
        });
        second.register(loop, operations -> report(serverReports, operations));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    });
    write(server, "x");
    write(second.peer(), "x");
    runBoth();
    runBoth();
    assertThat(clientReports).isEmpty();
    assertThat(serverReports).isEmpty();
  }

  @Test
  void bothEndsMayBelongToOneLoop() throws IOException {
    loop.execute(() -> register(client, loop, clientReports));
    loop.execute(() -> register(server, loop, serverReports));
    write(client, "x");
    write(server, "y");
    runBoth();
    assertThat(clientReports).containsExactly(SelectionKey.OP_READ);
    assertThat(serverReports).containsExactly(SelectionKey.OP_READ);
  }

  @Test
  void anEndThatIsServedInlineHasWorkedWhenTheWriteReturns() throws IOException {
    server.serveInline();
    registerBoth();
    assertThat(write(client, "request")).isEqualTo(7);
    assertThat(serverReports).containsExactly(SelectionKey.OP_READ); // no thread has driven the other loop
    assertThat(read(server)).isEqualTo("request");
    assertThat(write(server, "response")).isEqualTo(8);
    assertThat(clientReports).isEmpty(); // the other direction waits for its owner
    runBoth();
    assertThat(clientReports).containsExactly(SelectionKey.OP_READ);
  }
}
