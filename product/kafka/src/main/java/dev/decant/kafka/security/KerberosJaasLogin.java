package dev.decant.kafka.security;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import javax.security.auth.DestroyFailedException;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosKey;
import javax.security.auth.kerberos.KerberosPrincipal;
import javax.security.auth.kerberos.KeyTab;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.jspecify.annotations.Nullable;

/**
 * A login by JAAS. Each login fills a Subject of its own, so a running exchange keeps the Subject with which it began.
 */
final class KerberosJaasLogin implements SubjectCache.Source {
  private static final String OWN_CONTEXT = "decant";

  private final String context;
  /** Null for the configuration of the JVM. */
  private final @Nullable Configuration configuration;
  private final Map<String, String> options;

  private KerberosJaasLogin(String context, @Nullable Configuration configuration, Map<String, String> options) {
    this.context = context;
    this.configuration = configuration;
    this.options = options;
  }

  static KerberosJaasLogin of(String module, Map<String, String> options) {
    Map<String, String> copy = Map.copyOf(options);
    return new KerberosJaasLogin(OWN_CONTEXT, new Configuration() {
      @Override
      public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
        return new AppConfigurationEntry[] {
            new AppConfigurationEntry(module, LoginModuleControlFlag.REQUIRED, copy)};
      }
    }, copy);
  }

  static KerberosJaasLogin ofContext(String name) {
    return new KerberosJaasLogin(name, null, Map.of());
  }

  @Override
  public Subject login() throws IOException, InterruptedException {
    Path keytab = keytab();
    if (keytab != null && !Files.isReadable(keytab)) {
      throw new AuthenticationException(failed() + "the file " + (Files.exists(keytab)
          ? "cannot be read; let this process read it"
          : "does not exist; check its path, or export the keys by kadmin's ktadd"));
    }
    Subject subject = new Subject();
    try {
      LoginContext login = new LoginContext(context, subject, new NoPrompts(), configuration);
      login.login();
    } catch (LoginException | IllegalArgumentException | SecurityException e) {
      if (Thread.interrupted()) {
        throw new InterruptedException("the Kerberos login was given up");
      }
      throw failure(e, keytab);
    }
    if (Thread.interrupted()) {
      throw new InterruptedException("the Kerberos login was given up");
    }
    return subject;
  }

  private AuthenticationException failure(Exception cause, @Nullable Path keytab) throws IOException {
    KerberosErrors errors = KerberosErrors.of(cause);
    if (errors.isWithoutCredentials() && keytab != null) {
      return new AuthenticationException(cause.getMessage() == null || hasKey(keytab)
          ? failed() + "it gives no ticket: " + errors.reason()
          : failed() + "the file has no key of this principal that the JDK may use; klist -k -e shows its keys");
    }
    if (errors.isWithoutCredentials() && flag("useTicketCache")) {
      return new AuthenticationException(failed() + "there is no ticket in it, or the ticket has expired; run kinit, or"
          + " give the client a keytab");
    }
    return errors.ofLogin(failed());
  }

  /** Returns true if the keytab has a key of the principal that the JDK would have used. */
  private boolean hasKey(Path keytab) {
    String name = options.getOrDefault("principal", "");
    try {
      KerberosPrincipal principal = new KerberosPrincipal(name);
      boolean has = false;
      for (KerberosKey key : KeyTab.getInstance(principal, keytab.toFile()).getKeys(principal)) {
        has = true;
        key.destroy();
      }
      return has;
    } catch (IllegalArgumentException | DestroyFailedException e) {
      return true; // the keytab cannot be read: the failure itself says more
    }
  }

  private @Nullable Path keytab() throws AuthenticationException {
    String text = options.getOrDefault("keyTab", "");
    if (text.isEmpty() || !flag("useKeyTab")) {
      return null;
    }
    try {
      return Path.of(text.regionMatches(true, 0, "FILE:", 0, 5) ? text.substring(5) : text);
    } catch (InvalidPathException e) {
      throw new AuthenticationException(failed() + "this is no path of a file");
    }
  }

  private boolean flag(String option) {
    return Boolean.parseBoolean(options.getOrDefault(option, "false"));
  }

  private String failed() {
    return "Kerberos login by " + this + " failed: ";
  }

  @Override
  public String toString() {
    if (configuration == null) {
      return "login context " + context;
    }
    String principal = options.containsKey("principal") ? " of principal " + options.get("principal") : "";
    if (flag("useKeyTab")) {
      return "keytab " + options.getOrDefault("keyTab", "of krb5.conf") + principal;
    }
    return "ticket cache " + Objects.requireNonNullElse(options.get("ticketCache"), "of the user") + principal;
  }
}
