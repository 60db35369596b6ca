package app;

import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;

/** Classes of a program that settings name, and that see to its security. */
public final class OwnSecurity {
  private OwnSecurity() {}

  /** Gives the name and the password of the settings {@code app.user} and {@code app.password}. */
  public static final class Handler implements AuthenticateCallbackHandler {
    private Map<String, ?> configs = Map.of();

    @Override
    public void configure(Map<String, ?> given, String mechanism, List<AppConfigurationEntry> entries) {
      configs = given;
      System.out.println("handler for " + mechanism);
    }

    @Override
    public void handle(Callback[] callbacks) {
      for (Callback callback : callbacks) {
        if (callback instanceof NameCallback name) {
          name.setName(String.valueOf(configs.get("app.user")));
        } else if (callback instanceof PasswordCallback password) {
          password.setPassword(String.valueOf(configs.get("app.password")).toCharArray());
        }
      }
    }

    @Override
    public void close() {
      System.out.println("handler closed");
    }
  }

  /** Makes engines as Apache's does, and says so. */
  public static final class Engines extends DefaultSslEngineFactory {
    @Override
    public SSLEngine createClientSslEngine(String host, int port, String endpointIdentification) {
      System.out.println("engine with " + endpointIdentification);
      return super.createClientSslEngine(host, port, endpointIdentification);
    }

    @Override
    public Set<String> reconfigurableConfigs() {
      return Set.of();
    }
  }
}
