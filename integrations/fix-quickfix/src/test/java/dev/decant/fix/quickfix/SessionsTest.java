package dev.decant.fix.quickfix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import quickfix.ConfigError;
import quickfix.DefaultMessageFactory;
import quickfix.FileStoreFactory;
import quickfix.JdbcStoreFactory;
import quickfix.MemoryStoreFactory;
import quickfix.Message;
import quickfix.MessageStore;
import quickfix.SessionID;
import quickfix.SessionNotFound;
import quickfix.SessionSettings;
import quickfix.field.ClOrdID;

/** Sessions of the adapter: their registry, their stores, and those that templates make. */
@Timeout(60)
@SuppressWarnings({"EnumOrdinal", "JUnitMethodInvoked"}) // engines in their order; a test that goes on after another
class SessionsTest {
  @TempDir
  private Path folder = Path.of("");

  @Test
  void numbersGoOnWhereQuickFixHasStopped() throws Exception {
    int port = Side.freePort();
    try (Side venue = new Side(EngineUnderTest.QUICKFIX, true, "FIX.4.4", port).start()) {
      for (EngineUnderTest engine : new EngineUnderTest[] {EngineUnderTest.QUICKFIX, EngineUnderTest.DECANT}) {
        try (Side buyer = new Side(engine, false, "FIX.4.4", port).set("FileStorePath", folder.toString())) {
          buyer.stores = new FileStoreFactory(buyer.settings);
          buyer.start();
          buyer.awaitLogon();
          buyer.send(Orders.order("FIX.4.4", engine.name()));
          venue.awaitReceived(engine.ordinal() + 1);
          assertThat(buyer.engine.nextSender(buyer.id)).as("after %s by %s", venue.admin, engine)
              .isEqualTo(engine == EngineUnderTest.QUICKFIX ? 3 : 6);
        }
      }
      assertThat(venue.admin).noneMatch(message -> message.toString().contains("\u000135=2\u0001"));
    }
    assertThat(folder.resolve("FIX.4.4-BUYER-VENUE.decant")).exists();
  }

  @Test
  void sessionIsNotOpenedWhenQuickFixHasUsedItsFilesSince() throws Exception {
    numbersGoOnWhereQuickFixHasStopped();
    try (MessageStoreOfQuickFix store = new MessageStoreOfQuickFix(folder)) {
      store.advance();
    }
    Side buyer = new Side(EngineUnderTest.DECANT, false, "FIX.4.4", 1).set("FileStorePath", folder.toString());
    buyer.stores = new FileStoreFactory(buyer.settings);

    assertThatThrownBy(buyer::start).isInstanceOf(ConfigError.class).hasMessageContaining("has used its files");
    assertThat(Session.numSessions()).isZero();
  }

  /** Changes QuickFIX/J's files by QuickFIX/J. */
  private record MessageStoreOfQuickFix(Path folder) implements AutoCloseable {
    void advance() throws Exception {
      SessionID id = new SessionID("FIX.4.4", "BUYER", "VENUE");
      SessionSettings settings = new SessionSettings();
      settings.setString(id, "FileStorePath", folder.toString());
      MessageStore store = new FileStoreFactory(settings).create(id);
      store.setNextSenderMsgSeqNum(store.getNextSenderMsgSeqNum() + 1);
      ((java.io.Closeable) store).close();
    }

    @Override
    public void close() {}
  }

  @Test
  void storesInTablesAreUsedAsTheyAre() throws Exception {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL("jdbc:h2:mem:adapter;DB_CLOSE_DELAY=-1");
    Tables.create(database);
    int port = Side.freePort();
    try (Side venue = new Side(EngineUnderTest.QUICKFIX, true, "FIX.4.4", port)) {
      try (Side buyer = new Side(EngineUnderTest.DECANT, false, "FIX.4.4", port)) {
        JdbcStoreFactory stores = new JdbcStoreFactory(buyer.settings);
        stores.setDataSource(database);
        buyer.stores = stores;
        buyer.start();
        buyer.send(Orders.order("FIX.4.4", "stored"));
        venue.start();
        venue.awaitReceived(1);
        assertThat(venue.received.getFirst().getString(ClOrdID.FIELD)).isEqualTo("stored");
      }
      assertThat(Tables.nextOutbound(database, "BUYER")).isGreaterThanOrEqualTo(3);
    }
  }

  /** A store of the application's own. */
  @Test
  void storesOfTheApplicationAreUsed() throws Exception {
    ConcurrentMap<String, String> kept = new ConcurrentHashMap<>();
    int port = Side.freePort();
    try (Side venue = new Side(EngineUnderTest.QUICKFIX, true, "FIX.4.4", port).start();
        Side buyer = new Side(EngineUnderTest.DECANT, false, "FIX.4.4", port)) {
      buyer.stores = session -> new MemoryStoreOf(kept);
      buyer.start();
      buyer.awaitLogon();
      buyer.send(Orders.order("FIX.4.4", "kept"));
      venue.awaitReceived(1);

      assertThat(kept.get("2")).contains("\u000111=kept\u0001");
    }
  }

  /** Keeps messages in a map, too. */
  private static final class MemoryStoreOf implements MessageStore {
    private final MessageStore numbers;
    private final ConcurrentMap<String, String> kept;

    MemoryStoreOf(ConcurrentMap<String, String> kept) {
      this.kept = kept;
      this.numbers = new MemoryStoreFactory().create(new SessionID("FIX.4.4", "A", "B"));
    }

    @Override
    public boolean set(int sequence, String message) {
      kept.put(Integer.toString(sequence), message);
      return true;
    }

    @Override
    public void get(int start, int end, Collection<String> messages) {
      for (int i = start; i <= end; i++) {
        String message = kept.get(Integer.toString(i));
        if (message != null) {
          messages.add(message);
        }
      }
    }

    @Override
    public int getNextSenderMsgSeqNum() throws java.io.IOException {
      return numbers.getNextSenderMsgSeqNum();
    }

    @Override
    public int getNextTargetMsgSeqNum() throws java.io.IOException {
      return numbers.getNextTargetMsgSeqNum();
    }

    @Override
    public void setNextSenderMsgSeqNum(int next) throws java.io.IOException {
      numbers.setNextSenderMsgSeqNum(next);
    }

    @Override
    public void setNextTargetMsgSeqNum(int next) throws java.io.IOException {
      numbers.setNextTargetMsgSeqNum(next);
    }

    @Override
    public void incrNextSenderMsgSeqNum() throws java.io.IOException {
      numbers.incrNextSenderMsgSeqNum();
    }

    @Override
    public void incrNextTargetMsgSeqNum() throws java.io.IOException {
      numbers.incrNextTargetMsgSeqNum();
    }

    @Override
    public java.util.Date getCreationTime() throws java.io.IOException {
      return numbers.getCreationTime();
    }

    @Override
    public java.util.Calendar getCreationTimeCalendar() throws java.io.IOException {
      return numbers.getCreationTimeCalendar();
    }

    @Override
    public void reset() throws java.io.IOException {
      numbers.reset();
    }

    @Override
    public void refresh() throws java.io.IOException {
      numbers.refresh();
    }
  }

  @Test
  void templateMakesSessionsAtTheirLogon() throws Exception {
    int port = Side.freePort();
    SessionID template = new SessionID("FIX.4.4", "*", "*");
    SessionSettings settings = new SessionSettings();
    settings.setString(template, "ConnectionType", "acceptor");
    settings.setString(template, "SocketAcceptPort", Integer.toString(port));
    settings.setString(template, "AcceptorTemplate", "Y");
    settings.setString(template, "NonStopSession", "Y");
    Side venue = new Side(EngineUnderTest.DECANT, true, "FIX.4.4", port);
    SocketAcceptor acceptor = new SocketAcceptor(venue, new MemoryStoreFactory(), settings, EngineUnderTest.SILENT,
        new DefaultMessageFactory());
    acceptor.start();
    try (Side buyer = new Side(EngineUnderTest.QUICKFIX, false, "FIX.4.4", port).start()) {
      buyer.awaitLogon();
      venue.awaitLogon();
      buyer.send(Orders.order("FIX.4.4", "A"));
      venue.awaitReceived(1);

      assertThat(venue.callbacks).startsWith("onCreate", "fromAdmin A");
      assertThat(acceptor.getSessions()).containsExactly(new SessionID("FIX.4.4", "VENUE", "BUYER"));
      assertThat(venue.send(Orders.order("FIX.4.4", "B"))).isTrue();
      buyer.awaitReceived(1);
    } finally {
      acceptor.stop();
    }
  }

  @Test
  void stoppedConnectorsHaveNoSessionsAndCanBeStartedAgain() throws Exception {
    int port = Side.freePort();
    try (Side venue = new Side(EngineUnderTest.QUICKFIX, true, "FIX.4.4", port).start()) {
      Side buyer = new Side(EngineUnderTest.DECANT, false, "FIX.4.4", port).start();
      buyer.awaitLogon();
      assertThat(Session.doesSessionExist(buyer.id)).isTrue();
      buyer.stop();
      Message order = Orders.order("FIX.4.4", "late");
      assertThatThrownBy(() -> buyer.send(order)).isInstanceOf(SessionNotFound.class);
      buyer.callbacks.clear();
      buyer.set("ResetOnLogon", "Y").start();
      buyer.awaitLogon();
      buyer.send(Orders.order("FIX.4.4", "again"));
      venue.awaitReceived(1);
      buyer.stop();
    }
  }

  @Test
  void settingThatDecantDoesNotHaveIsAnErrorOfTheConfiguration() throws Exception {
    Side buyer = new Side(EngineUnderTest.DECANT, false, "FIX.4.4", Side.freePort()).set("ProxyType", "socks");

    assertThatThrownBy(buyer::start).isInstanceOf(ConfigError.class).hasMessageContaining("ProxyType=socks")
        .hasMessageContaining("tunnel");
    assertThat(folder).isEmptyDirectory();
  }
}
