package dev.decant.fix;

import dev.decant.fix.settings.AddressRules;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.MessageStoreFactory;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Function;

/** Settings of an acceptor: its address and its sessions. Made by {@link FixEngine#acceptor}; not thread-safe. */
public final class AcceptorBuilder {
  private final EngineAcceptors acceptors;
  private final AcceptorSettings settings;

  AcceptorBuilder(EngineAcceptors acceptors, InetSocketAddress address, Application application) {
    this.acceptors = acceptors;
    settings = new AcceptorSettings(address, application);
  }

  /**
   * Adds a session that a counterparty may log on to.
   *
   * @param session the rules of the session; the sender is this end
   * @return this
   * @throws IllegalArgumentException if the session was added before
   */
  public AcceptorBuilder session(SessionSettings session) {
    if (settings.sessions.putIfAbsent(session.id(), session) != null) {
      throw new IllegalArgumentException("session " + session.id() + " was added already");
    }
    return this;
  }

  /**
   * Sets the authenticator. Default: it accepts counterparties of sessions that were added, and no others.
   *
   * @param value the authenticator
   * @return this
   */
  public AcceptorBuilder authenticator(Authenticator value) {
    settings.authenticator = value;
    return this;
  }

  /**
   * Creates sessions at the logon of counterparties that match a pattern. The {@link Authenticator} is asked first; if
   * it refuses, no session is created. {@link #maxDynamicSessions} limits their number. Templates apply in the order of
   * their calls, after the sessions that were added.
   *
   * @param pattern a component {@code *} matches every value, and none; as BeginString it matches all FIX versions that
   *     exist. The qualifier is ignored
   * @param settingsOf returns the settings for an identity that matches. Called by the owner of the engine's loop
   * @return this
   */
  public AcceptorBuilder template(SessionId pattern, Function<SessionId, SessionSettings> settingsOf) {
    settings.templates.add(new SessionTemplate(pattern, settingsOf));
    return this;
  }

  /**
   * Looks up the settings of a counterparty that is neither added nor matches a template, on a thread of its own. The
   * connection waits meanwhile. {@link #connectionsBeforeLogon} limits the Logons that wait, and at most 64 lookups run
   * at the same time. The {@link Authenticator} is asked before a session is created.
   *
   * @param value finds settings; it may block
   * @param deadline how long a lookup may take from its Logon on, including the wait for other lookups
   * @return this
   * @throws IllegalArgumentException if the deadline is not positive or more than a day
   */
  public AcceptorBuilder lookup(SessionLookup value, Duration deadline) {
    settings.lookup = value;
    settings.lookupDeadline = requirePositive("lookup", deadline);
    return this;
  }

  /**
   * Limits the sessions that a template, a lookup or the {@link Authenticator} creates at a logon. Default 1,000. At
   * the limit, the session that has been logged out for longest is forgotten. If all are connected, the Logon is
   * refused.
   *
   * @param value at least 1
   * @return this
   * @throws IllegalArgumentException if it is less
   */
  public AcceptorBuilder maxDynamicSessions(int value) {
    if (value < 1) {
      throw new IllegalArgumentException("maxDynamicSessions: " + value + " is less than 1");
    }
    settings.maxDynamicSessions = value;
    return this;
  }

  /**
   * Sets how long a session that a logon created is kept after its logout. Default 10 minutes. Its store is then
   * closed, and its next Logon opens it again: numbers in files continue, those in memory begin with 1. A session whose
   * first logon fails is forgotten at once.
   *
   * @param value positive
   * @return this
   * @throws IllegalArgumentException if it is not positive or more than a day
   */
  public AcceptorBuilder forgetAfter(Duration value) {
    settings.forgetAfter = requirePositive("forgetAfter", value);
    return this;
  }

  /**
   * Sets the addresses from which connections are accepted. Default: all. Connections from others are closed at once,
   * before TLS. {@link dev.decant.fix.settings.SessionSettingsBuilder#addressRules} has rules for a single session.
   *
   * @param rules allowed and denied networks
   * @return this
   */
  public AcceptorBuilder addressRules(AddressRules rules) {
    settings.addressRules = rules;
    return this;
  }

  private static Duration requirePositive(String name, Duration value) {
    if (value.isNegative() || value.isZero() || value.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException(name + ": " + value + " is not positive or more than a day");
    }
    return value;
  }

  /**
   * Sets the stores of the sessions' numbers and messages. Default: memory, which is lost with the process.
   *
   * @param factory opens a store for each session
   * @return this
   */
  public AcceptorBuilder store(MessageStoreFactory factory) {
    settings.store = factory;
    return this;
  }

  /**
   * Sets how long a connection may take to log on, TLS handshake included. Default 10 s.
   *
   * @param value positive
   * @return this
   * @throws IllegalArgumentException if it is not positive or more than a day
   */
  public AcceptorBuilder logonTimeout(Duration value) {
    settings.logonTimeout = requirePositive("logonTimeout", value);
    return this;
  }

  /**
   * Sets how many connections the operating system completes before they are accepted. Default 4,096; the system may
   * have a lower limit. If the backlog is full, the system of a counterparty tries again after a second.
   *
   * @param value at least 1
   * @return this
   */
  public AcceptorBuilder backlog(int value) {
    if (value < 1) {
      throw new IllegalArgumentException("backlog: " + value + " is less than 1");
    }
    settings.backlog = value;
    return this;
  }

  /**
   * Limits the connections that are not logged on. Default 1,024, and 256 per address, each in addition to the number
   * of sessions: all sessions may log on at once, and through one proxy. Beyond a limit, the oldest of these
   * connections is closed, one without a byte first. Connections that are logged on do not count.
   *
   * @param total the limit for all addresses, at least 1
   * @param perAddress the limit for one IPv4 address, or one IPv6 network of 64 bits; at least 1
   * @return this
   * @throws IllegalArgumentException if one is less
   */
  public AcceptorBuilder connectionsBeforeLogon(int total, int perAddress) {
    if (total < 1 || perAddress < 1) {
      throw new IllegalArgumentException("connectionsBeforeLogon: " + total + " and " + perAddress
          + "; both are 1 at least");
    }
    settings.connectionsBeforeLogon = total;
    settings.connectionsBeforeLogonPerAddress = perAddress;
    return this;
  }

  /**
   * Sets the memory of connections that are not logged on, which is allocated when the acceptor is opened. Default 1
   * MiB, enough for 128 connections. Each takes {@link #maxLogonBytes} with its first byte. When all memory is in use,
   * the oldest of these connections is closed. With TLS, each takes {@link FixEngine.Builder#tlsMemory} too, and all
   * together at most a fourth of that.
   *
   * @param bytes direct memory, at least enough for one Logon(A)
   * @return this
   * @throws IllegalArgumentException if it is not positive
   */
  public AcceptorBuilder memoryBeforeLogon(int bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("memoryBeforeLogon: " + bytes + " is not positive");
    }
    settings.memoryBeforeLogon = bytes;
    return this;
  }

  /**
   * Limits the first message of a connection. Default 8 KiB. A longer one ends the connection.
   *
   * @param bytes the length of the whole Logon(A), from 256 bytes to 16 MiB
   * @return this
   * @throws IllegalArgumentException if it is outside of these bounds
   */
  public AcceptorBuilder maxLogonBytes(int bytes) {
    if (bytes < 256 || bytes > FixAcceptor.MAX_MESSAGE_BYTES) {
      throw new IllegalArgumentException("maxLogonBytes: " + bytes + " is not from 256 to "
          + FixAcceptor.MAX_MESSAGE_BYTES);
    }
    settings.maxLogonBytes = bytes;
    return this;
  }

  /**
   * Encrypts the connections. {@link TlsSettings.Builder#clientCertificates} decides whether counterparties need
   * certificates. The files of keys and certificates are read at the opening and checked each minute. New connections
   * use changed files; an open connection keeps its keys.
   *
   * @param keys keys, trust and versions
   * @return this
   */
  public AcceptorBuilder tls(TlsSettings keys) {
    settings.tls.set(keys);
    return this;
  }

  /**
   * Encrypts the connections with keys that other users may share. The caller decides when their files are read.
   *
   * @param context keys, trust and versions
   * @return this
   */
  public AcceptorBuilder tls(TlsContext context) {
    settings.tls.set(context);
    return this;
  }

  /**
   * Opens the stores of the sessions and begins to listen.
   *
   * @return the acceptor
   * @throws IllegalArgumentException if {@link #memoryBeforeLogon} is less than {@link #maxLogonBytes}
   * @throws IOException if a store cannot be opened, keys cannot be used or the address cannot be bound; the message
   *     names it
   * @throws IllegalStateException if the engine has one of the sessions already or is closed
   */
  public FixAcceptor open() throws IOException {
    if (settings.memoryBeforeLogon < settings.maxLogonBytes) {
      throw new IllegalArgumentException("memoryBeforeLogon: " + settings.memoryBeforeLogon
          + " is less than maxLogonBytes, " + settings.maxLogonBytes);
    }
    return acceptors.open(settings);
  }
}
