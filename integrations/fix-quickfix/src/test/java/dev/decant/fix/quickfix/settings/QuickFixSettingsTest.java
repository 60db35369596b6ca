package dev.decant.fix.quickfix.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.log.MessageLog;
import dev.decant.fix.settings.BackPressure;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.TimestampPrecision;
import dev.decant.fix.settings.WhileClosed;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
@SuppressWarnings("StringConcatToTextBlock") // lines of a file, as the other tests have them
class QuickFixSettingsTest {
  private static final String SESSION = """
      [session]
      ConnectionType=initiator
      BeginString=FIX.4.4
      SenderCompID=BUYER
      TargetCompID=VENUE
      UseDataDictionary=N
      """;

  @TempDir
  private Path folder = Path.of("");

  private QuickFixSettings read(String text) throws IOException {
    return QuickFixSettings.read(Files.writeString(folder.resolve("test.cfg"), text),
        name -> name.equals("home") ? "/opt/fix" : null);
  }

  private QuickFixSession session(String lines) throws IOException {
    return read(SESSION + lines).sessions().getFirst();
  }

  @Test
  void sessionsInheritDefaultsWhereverTheyStand() throws IOException {
    QuickFixSettings settings = read("""
        # of all
        [DEFAULT]
        ConnectionType = acceptor
        BeginString=FIX.4.2

        [SESSION]
        SenderCompID=A
        TargetCompID=B
        BeginString=FIX.4.4
        [Session]
        SenderCompID=A
        TargetCompID=C
        [default]
        SocketAcceptPort=9876
        """);

    assertThat(settings.sessions()).extracting(QuickFixSession::id).containsExactly(SessionId.of("FIX.4.4", "A", "B"),
        SessionId.of("FIX.4.2", "A", "C"));
    assertThat(settings.sessions()).allSatisfy(session -> {
      assertThat(session.isInitiator()).isFalse();
      assertThat(session.acceptAddress().getPort()).isEqualTo(9876);
    });
    assertThat(settings.refusals()).isEmpty();
  }

  @Test
  void variablesAreReplacedAndUnknownOnesStay() throws IOException {
    QuickFixSession session = session("FileStorePath=${home}/store/${what}\nDescription=costs \\${home}\n");

    assertThat(session.value("FileStorePath")).isEqualTo("/opt/fix/store/${what}");
    assertThat(session.value("Description")).isEqualTo("costs \\${home}");
  }

  @Test
  void everyFileIsReadWholeAndWhatIsPassedOverIsListed() throws IOException {
    byte[] latin = ("\uFEFF# caf\u00e9\r\nstray=1\r\n[default]\r\nno setting here\r\n[other]\r\nx=y\r\n"
        + SESSION.replace("\n", "\r\n") + "Username=me\r\nPassword=secret\r\nSocketKeepAlive=Y\r\n")
        .getBytes(StandardCharsets.UTF_8);
    QuickFixSettings settings = QuickFixSettings.read(Files.write(folder.resolve("test.cfg"), latin));

    assertThat(settings.sessions()).hasSize(1);
    assertThat(settings.sessions().getFirst().applicationSettings())
        .containsExactlyInAnyOrderEntriesOf(Map.of("Username", "me", "Password", "secret"));
    assertThat(settings.notes()).anyMatch(note -> note.contains("line 2: stray"))
        .anyMatch(note -> note.contains("no setting here")).anyMatch(note -> note.contains("[other]"))
        .anyMatch(note -> note.startsWith("Username")).anyMatch(note -> note.startsWith("SocketKeepAlive"))
        .noneMatch(note -> note.contains("secret"));
  }

  @Test
  void bytesThatAreNoUtf8AreLatin() throws IOException {
    byte[] bytes = (SESSION + "Description=caf\u00e9\n").getBytes(StandardCharsets.ISO_8859_1);
    QuickFixSettings settings = QuickFixSettings.read(Files.write(folder.resolve("test.cfg"), bytes));

    assertThat(settings.sessions().getFirst().value("Description")).isEqualTo("caf\u00e9");
  }

  @Test
  void allRefusalsAreNamedWithWhatToDo() throws IOException {
    QuickFixSettings settings = read(
        SESSION + "ProxyType=socks\nProxyPassword=secret\nResetOnError=Y\nDisconnectOnError=N\n[session]\n");

    assertThat(settings.refusals()).hasSize(4).noneMatch(text -> text.contains("secret"))
        .anyMatch(text -> text.startsWith("ProxyType=socks: connect through"))
        .anyMatch(text -> text.startsWith("ResetOnError=Y: remove it"))
        .anyMatch(text -> text.contains("beginString is empty"));
    try (FixEngine engine = FixEngine.builder().start()) {
      assertThatThrownBy(() -> settings.open(engine, (session, message) -> {}))
          .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("ProxyType")
          .hasMessageContaining("ResetOnError");
    }
  }

  @Test
  void valueThatCannotBeReadIsNamed() throws IOException {
    assertThatThrownBy(() -> session("ResetOnLogon=perhaps\n").settings())
        .hasMessage("ResetOnLogon=perhaps: it must be Y or N");
    assertThatThrownBy(() -> session("LogonTimeout=soon\n").settings())
        .hasMessage("LogonTimeout=soon: it must be a whole number");
    assertThatThrownBy(() -> session("SocketConnectHost=a\n").hosts())
        .hasMessageContaining("SocketConnectPort is missing");
  }

  @Test
  void rulesOfASessionAreMapped() throws IOException {
    SessionSettings settings = session("""
        HeartBtInt=20
        LogonTimeout=7
        LogoutTimeout=3
        ResetOnLogon=Y
        ResetOnLogout=Y
        ResetOnDisconnect=Y
        CheckCompID=N
        CheckLatency=N
        PersistMessages=N
        TimeStampPrecision=PICOS
        RejectInvalidMessage=N
        RequiresOrigSendingTime=N
        ClosedResendInterval=Y
        ResendRequestChunkSize=50
        SendRedundantResendRequests=Y
        EnableLastMsgSeqNumProcessed=Y
        EnableNextExpectedMsgSeqNum=Y
        MaxScheduledWriteRequests=10
        AllowUnknownMsgFields=Y
        ValidateUnorderedGroupFields=N
        FirstFieldInGroupIsDelimiter=Y
        """).settings();

    assertThat(settings.heartbeatInterval()).isEqualTo(Duration.ofSeconds(20));
    assertThat(settings.logonTimeout()).isEqualTo(Duration.ofSeconds(7));
    assertThat(settings.logoutTimeout()).isEqualTo(Duration.ofSeconds(3));
    assertThat(settings.resetOnLogon() && settings.resetOnLogout() && settings.resetOnDisconnect()).isTrue();
    assertThat(settings.checkCompIds()).isFalse();
    assertThat(settings.resendLimit()).isZero();
    assertThat(settings.timestampPrecision()).isEqualTo(TimestampPrecision.NANOS);
    assertThat(settings.rejectInvalid() || settings.requireOrigSendingTime()).isFalse();
    assertThat(settings.closedResendRange() && settings.redundantResendRequests()).isTrue();
    assertThat(settings.resendRequestChunk()).isEqualTo(50);
    assertThat(settings.lastMsgSeqNumProcessed() && settings.nextExpectedMsgSeqNum()).isTrue();
    assertThat(settings.backPressure()).isEqualTo(BackPressure.DISCONNECT);
    assertThat(settings.sendWhileLoggedOut()).isTrue();
    assertThat(settings.dictionary()).isNull();
    assertThat(settings.validation().allowUnknownMessageFields()).isTrue();
    assertThat(settings.validation().firstFieldInGroupIsDelimiter()).isTrue();
  }

  @Test
  void dictionariesAreFilesOrResources() throws IOException {
    String fixt = SESSION.replace("FIX.4.4", "FIXT.1.1").replace("UseDataDictionary=N", "UseDataDictionary=Y");
    SessionSettings settings = read(fixt + """
        DefaultApplVerID=FIX.5.0SP2
        TransportDataDictionary=FIXT11.xml
        AppDataDictionary=FIX50SP2.xml
        AppDataDictionary.FIX.5.0=FIX50.xml
        """).sessions().getFirst().settings();

    assertThat(settings.defaultApplVerId()).isEqualTo("9");
    assertThat(settings.applicationDictionaries()).containsOnlyKeys("9", "7");
    assertThat(read(SESSION.replace("UseDataDictionary=N", "")).sessions().getFirst().settings().dictionary())
        .isNotNull();
  }

  /** Without a dictionary of its version, each message of the application was rejected as an unknown one. */
  @Test
  void dictionaryOfTheVersionIsFoundIfTheFileNamesNone() throws IOException {
    String fixt = SESSION.replace("FIX.4.4", "FIXT.1.1").replace("UseDataDictionary=N", "DefaultApplVerID=");

    assertThat(read(fixt.replace("VerID=", "VerID=FIX.5.0")).sessions().getFirst().settings()
        .applicationDictionaries()).containsOnlyKeys("7");
    assertThat(read(fixt.replace("VerID=", "VerID=9")).sessions().getFirst().settings().applicationDictionaries())
        .containsOnlyKeys("9");
    assertThatThrownBy(() -> read(fixt.replace("VerID=", "VerID=10")).sessions().getFirst().settings())
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("AppDataDictionary is missing")
        .hasMessageContaining("10.xml").hasMessageContaining("UseDataDictionary=N");
  }

  @Test
  void addressesOfAnAcceptorAreMapped() throws Exception {
    String acceptor = SESSION.replace("initiator", "acceptor") + "SocketAcceptPort=1\n";
    SessionSettings settings = read(acceptor + "AllowedRemoteAddresses=192.0.2.1, 2001:db8::7,\n").sessions()
        .getFirst().settings();

    assertThat(settings.addressRules().admits(InetAddress.getByName("192.0.2.1"))).isTrue();
    assertThat(settings.addressRules().admits(InetAddress.getByName("2001:db8::7"))).isTrue();
    assertThat(settings.addressRules().admits(InetAddress.getByName("192.0.2.2"))).isFalse();
    assertThat(settings.addressRules().admits(InetAddress.getLoopbackAddress())).isFalse();
    assertThatThrownBy(() -> read(acceptor + "AllowedRemoteAddresses= , \n").sessions().getFirst().settings())
        .hasMessageContaining("AllowedRemoteAddresses: there is no address");
  }

  @Test
  void logLeavesHeartbeatsOutAndIsOneForAll() throws Exception {
    QuickFixSettings settings = read(SESSION + "FileLogPath=" + folder.resolve("one") + "\nFileLogHeartbeats=N\n"
        + SESSION.replace("VENUE", "OTHER") + "FileLogPath=" + folder.resolve("two") + "\nFileLogHeartbeats=N\n");
    ByteBuffer heartbeat = ByteBuffer.wrap("8=FIX.4.4\u00019=5\u000135=0\u000110=000\u0001"
        .getBytes(StandardCharsets.US_ASCII));
    ByteBuffer order = ByteBuffer.wrap("8=FIX.4.4\u00019=5\u000135=D\u000110=000\u0001"
        .getBytes(StandardCharsets.US_ASCII));
    try (MessageLog log = settings.log()) {
      log.inbound(SessionId.of("FIX.4.4", "A", "B"), 1, heartbeat, 0, heartbeat.limit());
      log.inbound(SessionId.of("FIX.4.4", "A", "B"), 1, order, 0, order.limit());
    }
    try (Stream<Path> files = Files.list(folder.resolve("one"))) {
      Path logged = files.filter(file -> file.toString().endsWith(".log")).findFirst().orElseThrow();
      assertThat(Files.readString(logged)).contains("35=D").doesNotContain("35=0");
    }
    assertThat(folder.resolve("two")).doesNotExist();
    assertThat(settings.notes()).anyMatch(note -> note.startsWith("FileLogPath: all sessions are logged in "
        + folder.resolve("one")));
  }

  /** Settings that a jar has. */
  @Test
  void settingsAreReadFromAStream() throws IOException {
    QuickFixSettings settings = QuickFixSettings.read(new ByteArrayInputStream(
        (SESSION + "Username=${java.vm.name}\n").getBytes(StandardCharsets.UTF_8)));

    assertThat(settings.sessions().getFirst().applicationSettings())
        .containsEntry("Username", System.getProperty("java.vm.name"));
    assertThat(QuickFixSettings.read(new ByteArrayInputStream(new byte[0])).refusals())
        .singleElement().asString().contains("there is no section [session]");
  }

  @Test
  void hostsDelaysAndAddressesAreMapped() throws IOException {
    QuickFixSession session = session("""
        SocketConnectHost=primary
        SocketConnectPort=1001
        SocketConnectHost1=backup
        SocketConnectPort1=1002
        SocketConnectTimeout=4
        ReconnectInterval=3x5;60
        SocketLocalPort=7001
        """);

    assertThat(session.hosts()).containsExactly(InetSocketAddress.createUnresolved("primary", 1001),
        InetSocketAddress.createUnresolved("backup", 1002));
    assertThat(ConnectionMapping.delays(session.section()))
        .isEqualTo(new ConnectionMapping.Delays(Duration.ofSeconds(5), Duration.ofSeconds(60)));
    assertThat(ConnectionMapping.connectTimeout(session.section())).isEqualTo(Duration.ofSeconds(4));
    assertThat(ConnectionMapping.localAddress(session.section())).isEqualTo(new InetSocketAddress(7001));
  }

  @Test
  void schedulesAreMapped() throws IOException {
    QuickFixSession days = session("StartTime=08:00:00 Europe/London\nEndTime=16:30:00\nTimeZone=America/New_York\n"
        + "Weekdays=mon,Tu,wednesday\n");
    QuickFixSession week = session("StartTime=22:00:00\nEndTime=21:00:00\nStartDay=sunday\nEndDay=friday\n");
    QuickFixSession always = session("StartTime=00:00:00\nEndTime=00:00:00\nNonStopSession=Y\n");

    assertThat(days.schedule().isOpen(Instant.parse("2026-11-24T08:30:00Z"))).isTrue(); // a Tuesday
    assertThat(days.schedule().isOpen(Instant.parse("2026-11-24T21:00:00Z"))).isTrue(); // 16:00 in New York
    assertThat(days.schedule().isOpen(Instant.parse("2026-11-24T22:00:00Z"))).isFalse();
    assertThat(days.schedule().isOpen(Instant.parse("2026-11-26T09:00:00Z"))).isFalse();
    assertThat(week.schedule().isOpen(Instant.parse("2026-11-27T20:59:00Z"))).isTrue(); // a Friday
    assertThat(week.schedule().isOpen(Instant.parse("2026-11-28T12:00:00Z"))).isFalse();
    assertThat(always.schedule().isNonStop()).isTrue();
    assertThat(always.settings().schedule().isNonStop()).isTrue();
    assertThat(week.settings().schedule().isOpen(Instant.parse("2026-11-28T12:00:00Z"))).isFalse();
    assertThat(week.settings().whileClosed()).isEqualTo(WhileClosed.QUEUE);
    assertThat(session("ResetOnLogon=Y\nStartTime=08:00:00\nEndTime=16:00:00\n").settings().whileClosed())
        .isEqualTo(WhileClosed.REFUSE);
    assertThatThrownBy(() -> session("StartTime=08:00:00\nEndTime=16:00:00\nStartDay=monday\n").schedule())
        .hasMessageContaining("EndDay is missing");
    assertThatThrownBy(() -> session("StartTime=8\nEndTime=16:00:00\n").schedule())
        .hasMessageContaining("StartTime=8: it must be HH:MM:SS");
  }

  @Test
  void fileOpensAcceptorTemplateAndInitiator() throws Exception {
    CountDownLatch received = new CountDownLatch(1);
    int port = freePort();
    QuickFixSettings settings = read("""
        [default]
        UseDataDictionary=N
        BeginString=FIX.4.4
        NonStopSession=Y
        [session]
        ConnectionType=acceptor
        AcceptorTemplate=Y
        SenderCompID=VENUE
        TargetCompID=*
        SocketAcceptPort=%1$d
        SocketAcceptAddress=127.0.0.1
        AllowedRemoteAddresses=127.0.0.1
        [session]
        ConnectionType=initiator
        SenderCompID=BUYER
        TargetCompID=VENUE
        SocketConnectHost=127.0.0.1
        SocketConnectPort=%1$d
        ReconnectInterval=1
        LogonTag=553=user
        """.formatted(port));
    try (FixEngine venue = FixEngine.builder().start(); FixEngine buyer = FixEngine.builder().start()) {
      List<QuickFixSettings> parts = settings.split();
      QuickFixConnections listening = parts.getFirst().open(venue, (session, message) -> received.countDown());
      FixSession session = parts.getLast().open(buyer, (from, message) -> {}).initiators().getFirst();
      assertThat(session.awaitLogon(Duration.ofSeconds(20))).isTrue();
      var order = session.newMessage();
      order.begin("D");
      order.text(11, "A");
      order.send();

      assertThat(received.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(listening.acceptors().getFirst().session(SessionId.of("FIX.4.4", "VENUE", "BUYER")).isLoggedOn())
          .isTrue();
    }
  }

  private static int freePort() throws IOException {
    try (java.net.ServerSocket socket = new java.net.ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @Test
  void sessionThatCannotBeOpenedIsAnErrorUnlessTheOthersAreToGoOn() throws Exception {
    String text = SESSION + "SocketConnectHost=a\n";
    try (FixEngine engine = FixEngine.builder().start()) {
      assertThatThrownBy(() -> read(text).open(engine, (session, message) -> {}))
          .hasMessageContaining("FIX.4.4:BUYER->VENUE").hasMessageContaining("SocketConnectPort");
      QuickFixConnections opened = read(text + "ContinueInitializationOnError=Y\n")
          .open(engine, (session, message) -> {});
      assertThat(opened.failures()).singleElement().asString().contains("SocketConnectPort");
    }
  }
}
