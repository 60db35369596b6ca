package dev.decant.lab;

import dev.decant.fix.FixAcceptor;
import dev.decant.fix.FixEngine;
import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import dev.decant.fix.settings.TimestampPrecision;
import dev.decant.lab.fix.EchoAcceptor;
import dev.decant.lab.fix.QuickFixDictionaries;
import dev.decant.lab.fix.SessionControl;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code decant fix acceptor}: an acceptor for acceptance tests. */
@Command(name = "acceptor", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Starts an acceptor on loopback that sends orders back, as the acceptance tests of QuickFIX want it.",
    "Its CompID is ISLD and its counterparty is TW. It has a session for each version from FIX.4.0 to FIXT.1.1, numbers"
        + " from 1 on at each connection, and validates by QuickFIX/J's dictionaries. It ends when standard input"
        + " closes, or at Ctrl-C."})
final class FixAcceptorCommand implements Callable<Integer> {
  private static final List<String> VERSIONS = List.of("FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4",
      "FIXT.1.1");

  @Spec
  private CommandSpec spec = CommandSpec.create(); // picocli replaces it

  @Option(names = "--port", paramLabel = "N", defaultValue = "9877", description = "default: 9877; 0 for a free one")
  private int port;

  @Option(names = "--control", paramLabel = "N", defaultValue = "-1",
      description = "port for SET_SESSION lines (default: none; 0 for a free one)")
  private int control;

  @Option(names = "--counterparty", split = ",", paramLabel = "ID", defaultValue = "TW",
      description = "TargetCompIDs of the sessions (default: TW)")
  private List<String> counterparties = List.of("TW");

  @Option(names = "--appl-ver-id", paramLabel = "N", defaultValue = "7",
      description = "DefaultApplVerID of FIXT.1.1 (default: 7)")
  private String applVerId = "7";

  @Option(names = "--resend-request-chunk", paramLabel = "N", defaultValue = "0",
      description = "messages that a ResendRequest asks for at most (default: all)")
  private int resendRequestChunk;

  @Option(names = "--last-msg-seq-num-processed", description = "send tag 369")
  private boolean lastMsgSeqNumProcessed;

  @Option(names = "--next-expected-msg-seq-num", description = "send and obey tag 789, from FIX.4.4 on")
  private boolean nextExpectedMsgSeqNum;

  @Option(names = "--time-precision", paramLabel = "NAME", defaultValue = "MILLIS",
      description = "SECONDS, MILLIS, MICROS, NANOS, from FIX.4.2 on (default: MILLIS)")
  private TimestampPrecision precision = TimestampPrecision.MILLIS;

  @Option(names = "--reject-garbled", description = "reject garbled messages")
  private boolean rejectGarbled;

  @Option(names = "--no-check-sum", description = "take messages whatever their CheckSum is")
  private boolean noCheckSum;

  @Option(names = "--reset-on-logon", description = "begin with number 1 at each logon, not after each connection")
  private boolean resetOnLogon;

  @Option(names = "--echo-email", description = "send Email(C) back, too, as QuickFIX for C++ does")
  private boolean echoEmail;

  @Mixin
  private FixLeniencyOptions leniency = new FixLeniencyOptions();

  @Override
  public Integer call() throws IOException {
    return run(System.in);
  }

  /** Serves until the input ends. */
  int run(InputStream input) throws IOException {
    QuickFixDictionaries dictionaries = QuickFixDictionaries.open();
    try (FixEngine engine = FixEngine.builder().name("acceptor").start()) {
      var builder = engine.acceptor(new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
          new EchoAcceptor(echoEmail));
      for (String version : VERSIONS) {
        for (String counterparty : counterparties) {
          builder.session(settings(SessionId.of(version, "ISLD", counterparty), dictionaries));
        }
      }
      FixAcceptor acceptor = builder.open();
      try (SessionControl controlPort = control < 0 ? null : SessionControl.open(control, acceptor)) {
        PrintWriter screen = spec.commandLine().getOut();
        screen.println("port " + acceptor.localAddress().getPort()
            + (controlPort == null ? "" : ", control port " + controlPort.port()));
        screen.flush();
        byte[] ignored = new byte[1_024];
        while (input.read(ignored) >= 0) {
          // ignore what is typed
        }
      }
    }
    return 0;
  }

  private SessionSettings settings(SessionId id, QuickFixDictionaries dictionaries) throws IOException {
    SessionSettingsBuilder settings = SessionSettings.of(id)
        .resetOnDisconnect(!resetOnLogon)
        .resetOnLogon(resetOnLogon)
        .resendRequestChunk(resendRequestChunk)
        .lastMsgSeqNumProcessed(lastMsgSeqNumProcessed)
        .rejectGarbled(rejectGarbled)
        .validateCheckSum(!noCheckSum)
        .defaultApplVerId(applVerId)
        .nextExpectedMsgSeqNum(nextExpectedMsgSeqNum && id.beginString().compareTo("FIX.4.4") >= 0);
    leniency.apply(settings, id.targetCompId());
    if (id.beginString().compareTo("FIX.4.2") >= 0) {
      settings.timestampPrecision(precision);
    }
    Dictionary session = dictionaries.ofVersion(id.beginString());
    settings.dictionary(session);
    if (id.beginString().startsWith("FIXT")) {
      for (String version : List.of("7", "8", "9", "10")) {
        settings.applicationDictionary(version, dictionaries.ofApplication(version));
      }
    }
    return settings.build();
  }
}
