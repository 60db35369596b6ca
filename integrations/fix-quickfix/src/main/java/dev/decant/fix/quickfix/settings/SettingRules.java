package dev.decant.fix.quickfix.settings;

import dev.decant.fix.quickfix.settings.SettingRule.Treatment;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rules for all settings of QuickFIX/J. The page {@code docs/quickfix-settings.md} shows them as tables. A test
 * compares the names with the constants of QuickFIX/J.
 */
final class SettingRules {
  /** Names that may end with a number or a version, as in SocketConnectHost1. */
  private static final List<String> NUMBERED = List.of("SocketConnectHost", "SocketConnectPort", "LogonTag",
      "AppDataDictionary");
  private static final Map<String, SettingRule> RULES = new Collector().all();

  private SettingRules() {}

  static Collection<SettingRule> all() {
    return RULES.values();
  }

  /** Returns the rule of a name; null if QuickFIX/J does not define the name. */
  static @Nullable SettingRule of(String name) {
    SettingRule exact = RULES.get(name);
    if (exact != null) {
      return exact;
    }
    for (String stem : NUMBERED) {
      if (name.startsWith(stem) && name.substring(stem.length()).matches("[0-9]+|\\..+")) {
        return RULES.get(stem);
      }
    }
    return null;
  }

  /** Collects the rules, group by group. */
  private static final class Collector {
    private final Map<String, SettingRule> rules = new LinkedHashMap<>();
    private String group = "";

    Map<String, SettingRule> all() {
      sessions();
      schedule();
      messages();
      dictionaries();
      acceptors();
      initiators();
      sockets();
      tls();
      stores();
      logs();
      return rules;
    }

    private void sessions() {
      group = "Sessions";
      mapped("BeginString", "`SessionId.beginString`");
      mapped("SenderCompID", "`SessionId.senderCompId`");
      mapped("SenderSubID", "`SessionId.senderSubId`");
      mapped("SenderLocationID", "`SessionId.senderLocationId`");
      mapped("TargetCompID", "`SessionId.targetCompId`");
      mapped("TargetSubID", "`SessionId.targetSubId`");
      mapped("TargetLocationID", "`SessionId.targetLocationId`");
      mapped("SessionQualifier", "`SessionId.qualifier`; of initiators only, as in QuickFIX/J");
      mapped("ConnectionType", "`initiator` or `acceptor`");
      mapped("DefaultApplVerID", "`defaultApplVerId`; a version such as `FIX.5.0SP2` becomes its number");
      withoutEffect("Description", "a text for people");
      mapped("HeartBtInt", "`heartbeatInterval` of an initiator. An acceptor takes that of the Logon");
      mapped("LogonTag",
          "a field of each Logon, as `LogonTag1` and so on: `onLogonToBeSent`. The log masks 96, "
              + "554 and 925");
      mapped("LogonTimeout", "`logonTimeout`");
      mapped("LogoutTimeout", "`logoutTimeout`");
      withoutEffect("TestRequestDelayMultiplier",
          "a TestRequest goes out after 1.5 heartbeat intervals without input");
      withoutEffect("HeartBeatTimeoutMultiplier", "the connection ends after 2.4 heartbeat intervals without input");
      refused("DisableHeartBeatCheck", List.of("N"),
          "remove it: a dead connection would never be noticed. A longer HeartBtInt tolerates a "
              + "slow counterparty");
      mapped("ResetOnLogon", "`resetOnLogon`");
      mapped("ResetOnLogout", "`resetOnLogout`");
      mapped("ResetOnDisconnect", "`resetOnDisconnect`");
      refused("ResetOnError", List.of("N"),
          "remove it. An error rejects its message, and the numbers stay; `ResetOnDisconnect` "
              + "resets them at each end");
      refused("DisconnectOnError", List.of("N"),
          "remove it. An error rejects its message, and the session goes on. `FixSession.logout` "
              + "ends it from your code");
      withoutEffect("RefreshOnLogon", "a store belongs to one process at a time, so its numbers are never old");
      mapped("PersistMessages", "`N` becomes `resendLimit(0)`: requests are gap-filled");
      mapped("ContinueInitializationOnError",
          "`QuickFixSettings.open` notes a session that fails, and opens the others");
      mapped("DynamicSession", "of an initiator: opened without connecting, until `FixSession.logon`");
    }

    private void schedule() {
      group = "Schedule";
      mapped("NonStopSession", "no schedule");
      mapped("StartTime", "`schedule`, with or without a time zone of its own");
      mapped("EndTime", "`schedule`");
      mapped("StartDay", "`schedule`: a week from this day on");
      mapped("EndDay", "`schedule`");
      mapped("Weekdays", "`schedule`: these days");
      mapped("TimeZone", "`schedule`; UTC if there is none");
    }

    private void messages() {
      group = "Messages and numbers";
      mapped("CheckCompID", "`checkCompIds`");
      mapped("CheckLatency", "`checkLatency`");
      mapped("MaxLatency", "`maxLatency`");
      mapped("TimeStampPrecision", "`timestampPrecision`; `PICOS` becomes nanoseconds");
      mapped("MillisecondsInTimeStamp", "of older releases: `timestampPrecision`");
      refused("ValidateSequenceNumbers", List.of("Y"),
          "remove it: messages out of order would reach your application. A session without numbers"
              + " is no session of FIX");
      mapped("ValidateIncomingMessage", "`N` takes no dictionary");
      mapped("ValidateChecksum", "`validateCheckSum`");
      mapped("RejectGarbledMessage", "`rejectGarbled`");
      mapped("RejectInvalidMessage", "`rejectInvalid`");
      withoutEffect("RejectMessageOnUnhandledException",
          "a message that the application fails over is always rejected, and not delivered again");
      mapped("RequiresOrigSendingTime", "`requireOrigSendingTime`");
      mapped("AllowPosDup", "in the adapter: `Session.send` keeps PossDupFlag(43) of a message");
      mapped("SendRedundantResendRequests", "`redundantResendRequests`");
      mapped("ClosedResendInterval", "`closedResendRange`");
      mapped("ResendRequestChunkSize", "`resendRequestChunk`");
      withoutEffect("ForceResendWhenCorruptedStore",
          "a damaged record is found by its checksum when the store opens");
      mapped("EnableLastMsgSeqNumProcessed", "`lastMsgSeqNumProcessed`");
      mapped("EnableNextExpectedMsgSeqNum", "`nextExpectedMsgSeqNum`");
      mapped("MaxScheduledWriteRequests",
          "more than 0 becomes `BackPressure.DISCONNECT`: a counterparty that reads too slowly is "
              + "disconnected");
    }

    private void dictionaries() {
      group = "Dictionaries";
      mapped("UseDataDictionary", "`N` takes no dictionary");
      mapped("DataDictionary",
          "`dictionary`: a file, or a resource of the class path. Without it that of BeginString, "
              + "such as `FIX44.xml`");
      mapped("TransportDataDictionary", "`dictionary` of FIXT.1.1");
      mapped("AppDataDictionary", "`applicationDictionary`, as `AppDataDictionary.FIX.5.0SP2` too. Without any, "
          + "that of DefaultApplVerID, such as `FIX50SP2.xml`");
      mapped("ValidateFieldsOutOfOrder", "`checkFieldsOutOfOrder`");
      mapped("ValidateFieldsHaveValues", "`checkFieldsHaveValues`");
      mapped("ValidateUserDefinedFields", "`checkUserDefinedFields`");
      mapped("ValidateUnorderedGroupFields", "`checkUnorderedGroupFields`");
      mapped("FirstFieldInGroupIsDelimiter", "`firstFieldInGroupIsDelimiter`, with ValidateUnorderedGroupFields=N");
      mapped("AllowUnknownMsgFields", "`allowUnknownMessageFields`");
      mapped("AllowUnknownEnumValues", "`allowUnknownEnumValues`");
    }

    private void acceptors() {
      group = "Acceptors";
      mapped("SocketAcceptAddress", "the address of `FixEngine.acceptor`");
      mapped("SocketAcceptPort", "the port of `FixEngine.acceptor`");
      refused("SocketAcceptProtocol", List.of("TCP", "SOCKET", "tcp", "socket"),
          "use TCP over the loopback interface. A VM_PIPE joins two ends in one JVM, which needs no"
              + " engine");
      mapped("AcceptorTemplate",
          "`template`: sessions are made at their Logon, by the section: `*` stands for any identifier. There are"
              + " 10,000 at most; one is forgotten a day after its logout");
      mapped("AllowedRemoteAddresses", "`addressRules`: other addresses are refused, before the application is asked");
      withoutEffect("LogMessageWhenSessionNotFound", "`SessionListener.onConnectionRefused` has each such Logon");
    }

    private void initiators() {
      group = "Initiators";
      mapped("SocketConnectHost", "`host`, as `SocketConnectHost1` and so on too");
      mapped("SocketConnectPort", "`host`");
      refused("SocketConnectProtocol", List.of("TCP", "SOCKET", "tcp", "socket"),
          "use TCP over the loopback interface. A VM_PIPE joins two ends in one JVM, which needs no"
              + " engine");
      mapped("SocketConnectTimeout", "`connectTimeout`");
      mapped("SocketLocalHost", "`localAddress`");
      mapped("SocketLocalPort", "`localAddress`");
      mapped("ReconnectInterval",
          "`reconnectDelay`: its shortest and its longest interval; between them the delay doubles");
      for (String name : List.of("ProxyType", "ProxyVersion", "ProxyHost", "ProxyPort", "ProxyUser", "ProxyPassword",
          "ProxyDomain", "ProxyWorkstation")) {
        refused(name, List.of(),
            "connect through a tunnel that the system keeps, and set SocketConnectHost to its local end");
      }
    }

    private void sockets() {
      group = "Sockets";
      withoutEffect("SocketTcpNoDelay", "always on: messages leave at once");
      withoutEffect("SocketKeepAlive", "heartbeats find a dead connection");
      withoutEffect("SocketReuseAddress", "always on for acceptors");
      withoutEffect("SocketOobInline", "FIX has no urgent data");
      withoutEffect("SocketLinger", "the last messages are written before the connection closes, within 2 s");
      withoutEffect("SocketReceiveBufferSize", "the system sizes it");
      withoutEffect("SocketSendBufferSize", "the system sizes it; `ringBytes` bounds what waits for it");
      withoutEffect("SocketTrafficClass", "set it in the system's rules for the port");
      withoutEffect("SocketSynchronousWrites", "`send` waits for room up to `sendTimeout`: `BackPressure.WAIT`");
      mapped("SocketSynchronousWriteTimeout", "`sendTimeout`, with SocketSynchronousWrites=Y");
    }

    private void tls() {
      group = "TLS";
      mapped("SocketUseSSL", "`tls`");
      mapped("SocketKeyStore", "`KeySource.store`: a file");
      mapped("SocketKeyStorePassword", "`KeySource.store`");
      mapped("KeyStoreType", "`KeySource.store`; JKS if there is none");
      mapped("KeyManagerFactoryAlgorithm", "`keyManagerAlgorithm`");
      mapped("SocketTrustStore", "`TrustSource.store`; without it the certificates of the JDK");
      mapped("SocketTrustStorePassword", "`TrustSource.store`");
      mapped("TrustStoreType", "`TrustSource.store`; JKS if there is none");
      mapped("TrustManagerFactoryAlgorithm", "`trustManagerAlgorithm`");
      mapped("NeedClientAuth", "`clientCertificates(NEEDED)`");
      mapped("EnabledProtocols", "`protocols`; TLSv1.2 and TLSv1.3 only");
      mapped("CipherSuites", "`cipherSuites`");
      mapped("EndpointIdentificationAlgorithm",
          "without it the host's name is not compared with the certificate, as in QuickFIX/J. Set "
              + "it to `HTTPS`");
      withoutEffect("UseSNI", "the host's name is always sent");
      refused("SNIHostName", List.of(), "set SocketConnectHost to this name, and let the system resolve it");
    }

    private void stores() {
      group = "Stores";
      mapped("FileStorePath",
          "`FileStores`, in this folder. When a session is opened first, its files of QuickFIX/J are imported");
      mapped("FileStoreSync", "`forceEveryMessage`; `forceNever` otherwise");
      withoutEffect("FileStoreMaxCachedMsgs", "the index of a store takes 8 bytes a message");
      for (String name : List.of("JdbcURL", "JdbcDriver", "JdbcUser", "JdbcPassword", "JdbcDataSourceName",
          "JdbcStoreMessagesTableName", "JdbcStoreSessionsTableName", "JdbcSessionIdDefaultPropertyValue",
          "JdbcMaxActiveConnection", "JdbcMinIdleConnection", "JdbcMaxConnectionLifeTime",
          "JdbcConnectionTimeout", "JdbcConnectionIdleTimeout", "JdbcConnectionKeepaliveTime",
          "JdbcConnectionTestQuery", "JndiContextFactory", "JndiProviderURL")) {
        ofItsClasses(name,
            "JdbcStoreFactory or JdbcLogFactory; without the adapter import the tables, and set FileStorePath");
      }
      for (String name : List.of("SleepycatDatabaseDir", "SleepycatSequenceDbName", "SleepycatMessageDbName")) {
        ofItsClasses(name, "SleepycatStoreFactory; without the adapter set FileStorePath");
      }
    }

    private void logs() {
      group = "Logs";
      mapped("FileLogPath", "`FileMessageLog`, in this folder; in the adapter FileLogFactory");
      withoutEffect("FileIncludeMilliseconds", "each line has its time to the microsecond");
      withoutEffect("FileIncludeTimeStampForMessages", "each line has its time");
      mapped("FileLogHeartbeats", "`heartbeats` of `FileMessageLog`; in the adapter FileLogFactory reads it");
      for (String name : List.of("ScreenLogShowIncoming", "ScreenLogShowOutgoing", "ScreenLogShowEvents",
          "ScreenLogShowHeartBeats", "ScreenIncludeMilliseconds")) {
        ofItsClasses(name, "ScreenLogFactory; without the adapter write a `MessageLog`");
      }
      for (String name : List.of("SLF4JLogEventCategory", "SLF4JLogErrorEventCategory",
          "SLF4JLogIncomingMessageCategory",
          "SLF4JLogOutgoingMessageCategory", "SLF4JLogPrependSessionID", "SLF4JLogHeartbeats")) {
        ofItsClasses(name, "SLF4JLogFactory; without the adapter write a `MessageLog`");
      }
      for (String name : List.of("JdbcLogHeartBeats", "JdbcLogIncomingTable", "JdbcLogOutgoingTable",
          "JdbcLogEventTable")) {
        ofItsClasses(name, "JdbcLogFactory; without the adapter write a `MessageLog`");
      }
    }

    private void mapped(String name, String text) {
      add(name, Treatment.MAPPED, List.of(), text);
    }

    private void withoutEffect(String name, String text) {
      add(name, Treatment.WITHOUT_EFFECT, List.of(), text);
    }

    private void ofItsClasses(String name, String text) {
      add(name, Treatment.OF_ITS_CLASSES, List.of(), text);
    }

    private void refused(String name, List<String> harmless, String text) {
      add(name, Treatment.REFUSED, harmless, text);
    }

    private void add(String name, Treatment treatment, List<String> harmless, String text) {
      rules.put(name, new SettingRule(name, group, treatment, harmless, text));
    }
  }
}
