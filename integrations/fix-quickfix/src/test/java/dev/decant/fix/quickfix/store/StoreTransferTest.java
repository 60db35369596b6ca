package dev.decant.fix.quickfix.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.quickfix.Tables;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.store.FileStores;
import dev.decant.fix.store.MessageStore;
import dev.decant.fix.store.MessageStoreFactory;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import quickfix.FileStoreFactory;
import quickfix.JdbcStoreFactory;
import quickfix.SessionID;
import quickfix.SessionSettings;

/** Stores of QuickFIX/J are imported, and QuickFIX/J reads exported ones. */
@Timeout(60)
@SuppressWarnings("JavaUtilDate") // QuickFIX/J's
class StoreTransferTest {
  private static final SessionId ID = SessionId.of("FIX.4.4", "BUY&ER", "VENUE").withSender("DESK", "");
  private static final SessionID QUICKFIX_ID = new SessionID("FIX.4.4", "BUY&ER", "DESK", "", "VENUE", "", "", "");

  @TempDir
  private Path folder = Path.of("");

  private SessionSettings settings() {
    SessionSettings settings = new SessionSettings();
    settings.setString(QUICKFIX_ID, "FileStorePath", folder.toString());
    return settings;
  }

  private quickfix.MessageStore quickFixFiles() {
    return new FileStoreFactory(settings()).create(QUICKFIX_ID);
  }

  private MessageStoreFactory decant(String name) {
    return FileStores.builder(folder.resolve(name)).segmentBytes(1 << 16).build();
  }

  private static String order(int number, String text) {
    String body = "35=D\u000134=" + number
        + "\u000149=BUY&ER\u000150=DESK\u000152=20261127-08:00:00.123\u000156=VENUE\u0001"
        + "11=" + text + "\u0001";
    String start = "8=FIX.4.4\u00019=" + body.length() + "\u0001" + body;
    int sum = start.chars().sum() % 256;
    return start + "10=%03d\u0001".formatted(sum);
  }

  private static void fill(quickfix.MessageStore store) throws IOException {
    for (int number : new int[] {2, 3, 5}) {
      store.set(number, order(number, "ORDER-" + number + "-caf\u00e9"));
    }
    store.set(3, order(3, "ORDER-3-again"));
    store.set(9, order(9, "not-counted"));
    store.setNextSenderMsgSeqNum(7);
    store.setNextTargetMsgSeqNum(12);
  }

  private static List<String> messages(quickfix.MessageStore store) throws IOException {
    List<String> messages = new ArrayList<>();
    store.get(1, 8, messages);
    return messages;
  }

  private static List<String> expected() {
    return List.of(order(2, "ORDER-2-caf\u00e9"), order(3, "ORDER-3-again"), order(5, "ORDER-5-caf\u00e9"));
  }

  private static void close(quickfix.MessageStore store) throws IOException {
    if (store instanceof Closeable closeable) {
      closeable.close();
    }
  }

  /** The deletes stayed in a transaction of the caller, whose next commit lost the store. */
  @Test
  void exportThatFailsChangesNothing() throws Exception {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL("jdbc:h2:mem:failing;DB_CLOSE_DELAY=-1");
    Tables.create(database);
    try (Connection connection = database.getConnection(); Statement statement = connection.createStatement()) {
      QuickFixTables tables = new QuickFixTables(connection, ID);
      tables.exportFrom(decant("decant"));
      statement.execute("ALTER TABLE sessions ADD CONSTRAINT none CHECK (outgoing_seqnum < 2)");
      try (MessageStore store = decant("later").open(ID, 1)) {
        store.setNextOutbound(7, 1);
      }

      assertThatThrownBy(() -> tables.exportFrom(decant("later"))).isInstanceOf(IOException.class);
      assertThat(connection.getAutoCommit()).isTrue();
      connection.setAutoCommit(false);
      connection.commit();
      assertThat(tables.exists()).isTrue();
    }
  }

  @Test
  void filesAreImportedAndExportedAgain() throws IOException {
    quickfix.MessageStore store = quickFixFiles();
    fill(store);
    Date created = store.getCreationTime();
    close(store);
    QuickFixFiles files = new QuickFixFiles(folder, ID);

    assertThat(files.exists()).isTrue();
    StoreTransfer imported = files.importInto(decant("decant"), false);
    assertThat(imported.messages()).isEqualTo(3);
    assertThat(imported.skipped()).isEqualTo(1);
    assertImported(decant("decant"), created);

    for (String kind : List.of("body", "header", "senderseqnums", "targetseqnums", "session")) {
      Files.delete(files.file(kind));
    }
    StoreTransfer exported = files.exportFrom(decant("decant"));
    assertThat(exported.messages()).isEqualTo(3);
    quickfix.MessageStore again = quickFixFiles();
    assertThat(again.getNextSenderMsgSeqNum()).isEqualTo(7);
    assertThat(again.getNextTargetMsgSeqNum()).isEqualTo(12);
    assertThat(again.getCreationTime()).isEqualTo(created);
    assertThat(messages(again)).isEqualTo(expected());
    close(again);
  }

  private static void assertImported(MessageStoreFactory stores, Date created) throws IOException {
    try (MessageStore store = stores.open(ID, 1)) {
      assertThat(store.nextOutbound()).isEqualTo(7);
      assertThat(store.nextInbound()).isEqualTo(12);
      assertThat(TimeUnit.NANOSECONDS.toMillis(store.createdEpochNanos())).isEqualTo(created.getTime());
      List<String> numbers = new ArrayList<>();
      store.replayOutbound(1, 100, (number, epochNanos, buffer, from, to) -> {
        numbers.add(number + "@" + epochNanos);
        return true;
      });
      assertThat(numbers).containsExactly("2@1795766400123000000", "3@1795766400123000000", "5@1795766400123000000");
    }
  }

  @Test
  void storeWithNumbersIsReplacedOnlyIfAskedFor() throws IOException {
    quickfix.MessageStore store = quickFixFiles();
    fill(store);
    close(store);
    QuickFixFiles files = new QuickFixFiles(folder, ID);
    files.importInto(decant("decant"), false);

    assertThatThrownBy(() -> files.importInto(decant("decant"), false)).isInstanceOf(IOException.class)
        .hasMessageContaining("has numbers of session").hasMessageContaining("next out 7");
    assertThat(files.importInto(decant("decant"), true).messages()).isEqualTo(3);
  }

  @Test
  void tornFilesAreReadAsFarAsTheyAreWhole() throws IOException {
    quickfix.MessageStore store = quickFixFiles();
    fill(store);
    close(store);
    QuickFixFiles files = new QuickFixFiles(folder, ID);
    byte[] body = Files.readAllBytes(files.file("body"));
    int third = order(2, "ORDER-2-caf\u00e9").length() + order(3, "ORDER-3-caf\u00e9").length() + 10;
    Files.write(files.file("body"), Arrays.copyOf(body, third));
    Files.write(files.file("header"), new byte[] {0, 0, 0}, StandardOpenOption.APPEND);

    StoreTransfer imported = files.importInto(decant("decant"), false);
    assertThat(imported.messages()).isEqualTo(1);
    assertThat(imported.skipped()).isEqualTo(3);
    assertThat(imported.nextOutbound()).isEqualTo(7);
  }

  /** Both sessions went on with the numbers and messages of one of them. */
  @Test
  void sessionsWhoseFilesHaveOneNameDoNotShareThem() throws IOException {
    SessionId one = SessionId.of("FIX.4.4", "DESK&1", "VENUE");
    SessionId other = SessionId.of("FIX.4.4", "DESK#1", "VENUE");
    QuickFixFiles files = new QuickFixFiles(folder, one);
    for (String kind : List.of("senderseqnums", "targetseqnums")) {
      try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(files.file(kind)))) {
        out.writeUTF("7");
      }
    }
    ImportingStores stores = new ImportingStores(folder, FileStores.builder(folder).segmentBytes(1 << 16).build());
    for (int i = 0; i < 2; i++) {
      try (MessageStore store = stores.open(one, 1)) {
        assertThat(store.nextOutbound()).isEqualTo(7);
      }
      assertThatThrownBy(() -> stores.open(other, 1)).isInstanceOf(IOException.class).hasMessageContainingAll(
          "session FIX.4.4:DESK#1->VENUE", "those of session FIX.4.4:DESK&1->VENUE", "another FileStorePath");
    }
    assertThatThrownBy(() -> ImportingStores.mark(new QuickFixFiles(folder, other))).isInstanceOf(IOException.class);
  }

  @Test
  void emptyNumbersStandForOne() throws IOException {
    QuickFixFiles files = new QuickFixFiles(folder, ID);
    Files.write(files.file("senderseqnums"), new byte[0]);

    assertThat(files.importInto(decant("decant"), false).nextOutbound()).isEqualTo(1);
    Files.write(files.file("senderseqnums"), new byte[] {0, 1, 'x'});
    assertThatThrownBy(() -> files.importInto(decant("other"), false)).hasMessageContaining("holds no sequence number");
  }

  @Test
  void tablesAreImportedAndExportedAgain() throws Exception {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL("jdbc:h2:mem:transfer;DB_CLOSE_DELAY=-1");
    Tables.create(database);
    JdbcStoreFactory factory = new JdbcStoreFactory(settings());
    factory.setDataSource(database);
    quickfix.MessageStore store = factory.create(QUICKFIX_ID);
    fill(store);
    Date created = store.getCreationTime();
    try (Connection connection = database.getConnection()) {
      QuickFixTables tables = new QuickFixTables(connection, ID);
      assertThat(tables.exists()).isTrue();
      assertThat(new QuickFixTables(connection, SessionId.of("FIX.4.4", "BUY&ER", "VENUE")).exists()).isFalse();
      assertThat(tables.importInto(decant("decant"), false).messages()).isEqualTo(3);
      assertImported(decant("decant"), created);
      try (MessageStore changed = decant("decant").open(ID, 1)) {
        changed.setNextInbound(20, 1);
      }
      tables.exportFrom(decant("decant"));
    }
    quickfix.MessageStore again = factory.create(QUICKFIX_ID);
    assertThat(again.getNextSenderMsgSeqNum()).isEqualTo(7);
    assertThat(again.getNextTargetMsgSeqNum()).isEqualTo(20);
    assertThat(again.getCreationTime()).isEqualTo(created);
    assertThat(messages(again)).isEqualTo(expected());
  }

  @Test
  void namesOfTablesCannotHoldMore() {
    assertThatThrownBy(() -> new QuickFixTables.Names("sessions; DROP TABLE x", "messages", ""))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
