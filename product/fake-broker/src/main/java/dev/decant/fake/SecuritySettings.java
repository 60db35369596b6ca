package dev.decant.fake;

import dev.decant.fake.api.ApiTable;
import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.net.ListenerSecurity;
import dev.decant.fake.security.AccessRule;
import dev.decant.fake.security.AccessRules;
import dev.decant.fake.security.ClientSessions;
import dev.decant.fake.security.Logins;
import dev.decant.fake.security.SecurityApis;
import dev.decant.tls.TlsContext;
import dev.decant.tls.TlsKeyException;
import dev.decant.tls.TlsSettings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A builder's settings of logins, TLS and rights. One thread at a time. */
final class SecuritySettings {
  private final Set<String> mechanisms = new LinkedHashSet<>();
  private final Map<String, String> passwords = new LinkedHashMap<>();
  private final Map<String, NewToken> tokens = new LinkedHashMap<>();
  private final List<AccessRule> rules = new ArrayList<>();
  private final Set<String> superUsers = new LinkedHashSet<>();
  private @Nullable TlsSettings tls;

  /** The user of a token, and the end of its validity. */
  private record NewToken(String user, Instant expires) {}

  /** The parts of a cluster that these settings make. */
  record Parts(Logins logins, AccessRules rules, ListenerSecurity listeners) {}

  void mechanisms(List<String> names) {
    names.forEach(Logins::check);
    mechanisms.addAll(names);
  }

  void user(String name, String password) {
    passwords.put(name, password);
  }

  void token(String token, String user, Instant expires) {
    tokens.put(token, new NewToken(user, expires));
  }

  void rules(List<AccessRule> added) {
    rules.addAll(added);
  }

  void superUser(String principal) {
    superUsers.add(principal);
  }

  void tls(TlsSettings settings) {
    tls = settings;
  }

  /** Rejects settings without effect. */
  void check() {
    if (mechanisms.isEmpty() && !(passwords.isEmpty() && tokens.isEmpty())) {
      throw new IllegalArgumentException("users and tokens are of no use without sasl(...): clients do not log in");
    }
  }

  /**
   * Makes the parts of a cluster, and adds their APIs; all other APIs are in the table already.
   *
   * @throws FakeClusterException if the certificate cannot be used
   */
  Parts addTo(ApiTable apis, Cluster cluster) {
    Logins logins = new Logins(cluster, mechanisms);
    passwords.forEach((name, password) -> logins.user(name, logins.credentialOf(password)));
    tokens.forEach((token, of) -> logins.token(token, of.user(), of.expires().toEpochMilli()));
    AccessRules access = new AccessRules();
    rules.forEach(access::add);
    superUsers.forEach(access::addSuperUser);
    logins.remember();
    access.remember();
    ClientSessions sessions = new ClientSessions(cluster, logins, access);
    SecurityApis.addTo(apis, cluster, sessions, logins, access);
    return new Parts(logins, access, new ListenerSecurity(sessions, context()));
  }

  private @Nullable TlsContext context() {
    TlsSettings settings = tls;
    try {
      return settings == null ? null : TlsContext.load(settings);
    } catch (TlsKeyException e) {
      throw new FakeClusterException("the fake brokers cannot have TLS: " + e.getMessage(), e);
    }
  }
}
