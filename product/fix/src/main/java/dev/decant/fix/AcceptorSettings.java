package dev.decant.fix;

import dev.decant.fix.settings.AddressRules;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.MemoryStores;
import dev.decant.fix.store.MessageStoreFactory;
import dev.decant.net.Acceptor;
import dev.decant.net.tls.TlsMemory;
import dev.decant.time.Timeouts;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The settings that {@link AcceptorBuilder} collects. Its methods say what each means. One thread at a time. */
final class AcceptorSettings {
  private static final int ACCEPTS_PER_ROUND = 8;

  final InetSocketAddress address;
  final Application application;
  final Map<SessionId, SessionSettings> sessions = new LinkedHashMap<>();
  Authenticator authenticator = new Authenticator() {
  };
  final List<SessionTemplate> templates = new ArrayList<>();
  @Nullable
  SessionLookup lookup;
  Duration lookupDeadline = Duration.ofSeconds(5);
  int maxDynamicSessions = 1_000;
  Duration forgetAfter = Duration.ofMinutes(10);
  AddressRules addressRules = AddressRules.all();
  MessageStoreFactory store = new MemoryStores();
  Duration logonTimeout = Duration.ofSeconds(10);
  int backlog = 4_096;
  /** 0 for the default, which depends on the number of sessions. */
  int connectionsBeforeLogon;
  /** 0 for the default, which depends on the number of sessions. */
  int connectionsBeforeLogonPerAddress;
  int memoryBeforeLogon = 1 << 20;
  int maxLogonBytes = 8 * 1024;
  final TlsKeys tls = new TlsKeys();

  AcceptorSettings(InetSocketAddress address, Application application) {
    this.address = address;
    this.application = application;
  }

  /** Returns how many connections may have sent bytes without being logged on. */
  private int activeBeforeLogon(boolean isEncrypted, long tlsMemory) {
    int most = memoryBeforeLogon / maxLogonBytes;
    return Math.max(1, isEncrypted ? (int) Math.min(most, tlsMemory / 4 / TlsMemory.CONNECTION_BYTES) : most);
  }

  /** Returns the settings of the listening socket. */
  Acceptor.Settings listener(boolean isEncrypted, long tlsMemory) {
    Acceptor.Limits strangers = Acceptor.Limits.DEFAULT;
    int counterparties = sessions.size() + (templates.isEmpty() && lookup == null ? 0 : maxDynamicSessions);
    int total = connectionsBeforeLogon == 0 ? strangers.connections() + counterparties : connectionsBeforeLogon;
    int perAddress = connectionsBeforeLogon == 0
        ? strangers.perAddress() + counterparties
        : connectionsBeforeLogonPerAddress;
    return new Acceptor.Settings(address, backlog, ACCEPTS_PER_ROUND, true, new Acceptor.Limits(total, perAddress,
        activeBeforeLogon(isEncrypted, tlsMemory), Timeouts.nanos(logonTimeout)));
  }
}
