package dev.decant.fix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.AsyncFileStores;
import dev.decant.fix.store.FileStores;
import dev.decant.fix.store.MessageStoreFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store that keeps received messages may have no place for the largest one. Such a message counts all the same:
 * uncounted, it came again at each logon and ended each connection.
 */
@Timeout(60)
class KeptInboundTest {
  private static final SessionId SERVER = SessionId.of("FIX.4.4", "SERVER", "CLIENT");

  @TempDir
  Path folder;

  private FileStores files() {
    return FileStores.builder(folder).segmentBytes(4096).keepInbound(true).build();
  }

  @Test
  void messageThatAFileCannotHoldCounts() throws Exception {
    receiveLarge(files());
  }

  @Test
  void messageThatARingCannotHoldCounts() throws Exception {
    receiveLarge(AsyncFileStores.builder(files()).build());
  }

  private static void receiveLarge(MessageStoreFactory stores) throws Exception {
    List<Integer> lengths = new CopyOnWriteArrayList<>();
    try (FixEngine engine = FixEngine.builder().name("server").start()) {
      FixAcceptor acceptor = engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
          (session, message) -> lengths.add(message.string(58).length()))
          .session(SessionSettings.of(SERVER).build()).store(stores).open();
      try (RawClient client = new RawClient(acceptor.localAddress().getPort(), "CLIENT")) {
        client.logon(1, "");
        client.readUntil("|35=A|");
        client.send("B", 2, "58=" + "x".repeat(8_000) + '|');
        client.send("B", 3, "58=y|");
        client.send("1", 4, "112=all|");
        client.readUntil("|112=all|");
        assertThat(lengths).containsExactly(8_000, 1);
        assertThat(acceptor.session(SERVER).nextInbound()).isEqualTo(5);
      }
    }
  }
}
