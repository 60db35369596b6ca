package dev.decant.fix.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Operators of the same user reach a running engine. Peers that misbehave cost it little, and its loop nothing. */
@Timeout(60)
@DisabledOnOs(OS.WINDOWS) // its file systems have no permissions of POSIX
class ControlServerTest {
  private static final SessionId SERVER = SessionId.of("FIX.4.4", "SERVER", "CLIENT");
  private static final SessionId CLIENT = SessionId.of("FIX.4.4", "CLIENT", "SERVER");
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @TempDir
  Path folder;

  /** A connection of an operator. */
  private static final class Operator implements AutoCloseable {
    private final SocketChannel channel;
    private final BufferedReader lines;

    Operator(Path path) throws IOException {
      channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
      lines = new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8));
    }

    void write(String text) throws IOException {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }

    /** The lines up to the one that ends a response. */
    List<String> ask(String request) throws IOException {
      write(request + '\n');
      List<String> response = new ArrayList<>();
      do {
        response.add(lines.readLine());
      } while (!response.getLast().startsWith("{\"ok\":"));
      return response;
    }

    String end() throws IOException {
      try {
        return String.valueOf(lines.readLine());
      } catch (IOException e) {
        return "null"; // reset
      }
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  private Path path() {
    return folder.resolve("control");
  }

  private static FixSession idle(FixEngine engine, SessionId id) throws IOException {
    return engine.initiator(SessionSettings.of(id).build(), (from, message) -> {}).host("localhost", 9).open();
  }

  @Test
  void operatorsSeeAndSteerSessions() throws Exception {
    try (FixEngine serverEngine = FixEngine.builder().start();
        FixEngine engine = FixEngine.builder().name("client").control(path()).start();
        FixAcceptor acceptor = serverEngine
            .acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (from, message) -> {})
            .session(SessionSettings.of(SERVER).build()).open();
        Operator operator = new Operator(path())) {
      FixSession session = engine.initiator(SessionSettings.of(CLIENT).build(), (from, message) -> {})
          .host("localhost", acceptor.localAddress().getPort()).open();
      assertThat(session.awaitLogon(PATIENCE)).isTrue();

      List<String> status = operator.ask("status");
      assertThat(status).hasSize(2);
      assertThat(status.getFirst())
          .startsWith("{\"session\":\"FIX.4.4:CLIENT->SERVER\",\"state\":\"LOGGED_ON\",\"up\":true,")
          .contains("\"nextOutbound\":2,").contains("\"roundTripMicros\":null,").endsWith("\"lastEnd\":null}");
      assertThat(status.getLast()).isEqualTo("{\"ok\":true,\"sessions\":1}");
      String id = "FIX.4.4:CLIENT->SERVER";
      assertThat(operator.ask("send " + id + " 35=D|11=A B|55=DECANT|"))
          .containsExactly("{\"ok\":true,\"outcome\":\"the message was accepted with MsgSeqNum 2\",\"number\":2}");
      assertThat(operator.ask("test " + id).getFirst())
          .matches("\\{\"ok\":true,\"outcome\":\"the counterparty has responded within [0-9.]+ us\",\"number\":.+}");
      assertThat(operator.ask("resend " + id + " 1"))
          .containsExactly("{\"ok\":true,\"outcome\":\"the messages from 1 to 3 were sent again\",\"number\":3}");
      assertThat(operator.ask("logout " + id + " back at five"))
          .containsExactly("{\"ok\":true,\"outcome\":\"the connection of the session has ended: logged out\"}");
      assertThat(operator.ask("set-inbound " + id + " 70"))
          .containsExactly("{\"ok\":true,\"outcome\":\"the next message expected has MsgSeqNum 70\",\"number\":70}");
      assertThat(session.nextInbound()).isEqualTo(70);
      assertThat(operator.ask("reset " + id))
          .containsExactly(
              "{\"ok\":true,\"outcome\":\"sequence numbers begin with 1 at this end, and the counterparty must"
                  + " reset its own, too: the next Logon asks for it by ResetSeqNumFlag(141)=Y\"}");
      assertThat(operator.ask("logon " + id)).containsExactly("{\"ok\":true,\"outcome\":\"the session is logged on\"}");
      assertThat(operator.ask("disable " + id).getFirst()).contains("logged out; it stays so until it is enabled\"");
      assertThat(operator.ask("status " + id).getFirst()).contains("\"state\":\"DISABLED\"");
      assertThat(operator.ask("enable " + id).getFirst())
          .contains("\"the session is enabled; the session is logged on\"");
    }
    assertThat(path()).doesNotExist();
  }

  @Test
  void wrongRequestsGetOneLineThatSaysWhatToDo() throws Exception {
    try (FixEngine engine = FixEngine.builder().control(path()).start(); Operator operator = new Operator(path())) {
      idle(engine, new SessionId("FIX.4.4", "A 1%", "", "B", "", ""));
      assertThat(operator.ask("").getFirst())
          .startsWith("{\"ok\":false,\"error\":\"unknown command; these are known: ");
      assertThat(operator.ask("logout").getFirst()).contains("name a session; status lists them");
      assertThat(operator.ask("logout X").getFirst())
          .contains("there is no session X; there are 1, such as [FIX.4.4:A 1%->B]");
      assertThat(operator.ask("set-inbound FIX.4.4:A%201%25->B x").getFirst()).contains("'x' is no number");
      assertThat(operator.ask("set-inbound FIX.4.4:A%201%25->B 0").getFirst()).contains("\"ok\":false")
          .contains("less than 1");
      assertThat(operator.ask("send FIX.4.4:A%201%25->B 35=5|58=x").getFirst()).contains("is a message of the session");
      assertThat(operator.ask("status %zz").getFirst()).contains("\"ok\":false");
      assertThat(operator.ask("set-inbound FIX.4.4:A%201%25->B 9"))
          .containsExactly("{\"ok\":true,\"outcome\":\"the next message expected has MsgSeqNum 9\",\"number\":9}");
    }
  }

  /** Others could connect between the socket's appearance and its permissions, whatever the umask. */
  @Test
  void socketHasItsPermissionsWhenItAppears() throws Exception {
    try (FixEngine engine = FixEngine.builder().control(path()).start()) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path()))).isEqualTo("rw-------");
      assertThat(engine.sessions()).isEmpty();
      try (Stream<Path> files = Files.list(folder)) {
        assertThat(files.map(file -> file.getFileName().toString())).containsExactlyInAnyOrder("control",
            "control.lock");
      }
    }
  }

  @Test
  void staleSocketIsReplacedAndOneInUseIsNot() throws Exception {
    try (ServerSocketChannel stale = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      stale.bind(UnixDomainSocketAddress.of(path()));
    }
    assertThat(path()).exists();
    try (FixEngine engine = FixEngine.builder().control(path()).start(); Operator operator = new Operator(path())) {
      assertThat(operator.ask("status")).containsExactly("{\"ok\":true,\"sessions\":0}");
      assertThatThrownBy(() -> FixEngine.builder().control(path()).start()).isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("another engine has it");
      assertThat(operator.ask("status")).containsExactly("{\"ok\":true,\"sessions\":0}");
      assertThat(engine.sessions()).isEmpty();
    }
    Files.writeString(path(), "a file of somebody's");
    assertThatThrownBy(() -> FixEngine.builder().control(path()).start()).isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("there is a file that is no socket");
    assertThat(path()).hasContent("a file of somebody's");
  }

  /** The error was the path, twice. */
  @Test
  void missingFolderOfASocketIsNamedWithWhatToDo() {
    Path missing = path().resolveSibling("none").resolve("desk.control");
    assertThatThrownBy(() -> FixEngine.builder().control(missing).start()).isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining(missing + ": its folder does not exist; create it");
  }

  @Test
  void longRequestEndsTheConnection() throws Exception {
    try (FixEngine engine = FixEngine.builder().control(path()).start(); Operator operator = new Operator(path())) {
      assertThat(engine.sessions()).isEmpty();
      try {
        operator.write("x".repeat(ControlConnection.MAX_REQUEST_BYTES + 100_000));
      } catch (IOException e) {
        // the socket was closed meanwhile
      }
      assertThat(operator.end()).isEqualTo("null");
      try (Operator next = new Operator(path())) {
        assertThat(next.ask("status")).containsExactly("{\"ok\":true,\"sessions\":0}");
      }
    }
  }

  @Test
  void peersThatDoNothingAreClosedAndManyAreRefused() throws Exception {
    try (ControlServer server = ControlServer.open(path(), "test", List::of, Duration.ofMillis(500))) {
      List<Operator> silent = new ArrayList<>();
      for (int i = 0; i < 3 * ControlServer.MAX_CONNECTIONS; i++) {
        silent.add(new Operator(path()));
      }
      silent.getFirst().write("stat"); // and no more
      for (Operator peer : silent) {
        assertThat(peer.end()).isEqualTo("null");
        peer.close();
      }
      assertThat(server).isNotNull();
      try (Operator next = new Operator(path())) {
        assertThat(next.ask("status")).containsExactly("{\"ok\":true,\"sessions\":0}");
      }
    }
  }

  /** A peer that asks without end and never reads the responses is left after the deadline. */
  @Test
  void peerThatReadsNothingIsLeft() throws Exception {
    try (ControlServer server = ControlServer.open(path(), "test", List::of, Duration.ofMillis(300));
        Operator deaf = new Operator(path())) {
      assertThatThrownBy(() -> {
        while (true) {
          deaf.write("help\n".repeat(1_000));
        }
      }).isInstanceOf(IOException.class);
      assertThat(server).isNotNull();
    }
  }

  @Test
  void closedEngineEndsConnections() throws Exception {
    FixEngine engine = FixEngine.builder().control(path()).start();
    try (Operator operator = new Operator(path())) {
      assertThat(operator.ask("help").getFirst()).contains("set-outbound SESSION N");
      engine.close();
      assertThat(operator.end()).isEqualTo("null");
      assertThat(path()).doesNotExist();
    }
  }
}
