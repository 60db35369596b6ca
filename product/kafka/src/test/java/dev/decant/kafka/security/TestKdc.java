package dev.decant.kafka.security;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.apache.kerby.kerberos.kerb.client.KrbClient;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;

/**
 * A KDC of the realm EXAMPLE.COM within this process, and a krb5.conf that the JDK reads while it is open. Only one may
 * be open at a time: the JDK has one krb5.conf for the process.
 */
public final class TestKdc implements AutoCloseable {
  private static final String CONF = "java.security.krb5.conf";
  private static final String PASSWORD = "k3rberos-secret-5b1d";

  private final Path directory;
  private final SimpleKdcServer server;
  private final int port;

  private TestKdc(Path directory, int port, SimpleKdcServer server) {
    this.directory = directory;
    this.port = port;
    this.server = server;
  }

  /**
   * Starts a KDC.
   *
   * @param directory for its files
   */
  public static TestKdc start(Path directory) throws IOException, KrbException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    SimpleKdcServer server = new SimpleKdcServer();
    server.setWorkDir(directory.toFile());
    server.setKdcHost("127.0.0.1");
    server.setKdcRealm("EXAMPLE.COM");
    server.setAllowUdp(false);
    server.setKdcTcpPort(port);
    server.init();
    server.start();
    TestKdc started = new TestKdc(directory, port, server);
    started.useKdcAt(port);
    return started;
  }

  /** Makes the JDK use this port from the next login on. */
  public void useKdcAt(int kdcPort) throws IOException {
    System.setProperty(CONF, Files.writeString(directory.resolve("jdk-krb5.conf"), """
        [libdefaults]
          default_realm = EXAMPLE.COM
          udp_preference_limit = 1
          dns_lookup_kdc = false
          dns_lookup_realm = false
          dns_canonicalize_hostname = false
          max_retries = 1
        [realms]
          EXAMPLE.COM = {
            kdc = 127.0.0.1:%d
          }
        """.formatted(kdcPort)).toString());
  }

  /** Makes the JDK use this KDC again. */
  public void useThis() throws IOException {
    useKdcAt(port);
  }

  /** Returns the path of krb5.conf, for another process. */
  public Path krb5Conf() {
    return Path.of(System.getProperty(CONF));
  }

  /**
   * Makes principals with new keys, and a file with the keys; returns the keytab.
   *
   * @param file the name of the file
   * @param principals without the realm
   */
  public Path keytab(String file, String... principals) throws KrbException {
    Path keytab = directory.resolve(file);
    server.createAndExportPrincipals(keytab.toFile(), principals);
    return keytab;
  }

  /** Deletes a principal with its keys. */
  public void delete(String principal) throws KrbException {
    server.deletePrincipal(principal);
  }

  /**
   * Makes a principal and a ticket cache with its ticket; returns the cache.
   *
   * @param file the name of the file
   * @param principal without the realm
   */
  public Path ticketCache(String file, String principal) throws KrbException {
    server.createPrincipal(principal, PASSWORD);
    Path cache = directory.resolve(file);
    KrbClient client = server.getKrbClient();
    client.storeTicket(client.requestTgt(principal, PASSWORD), cache.toFile());
    return cache;
  }

  @Override
  public void close() throws KrbException {
    System.clearProperty(CONF);
    server.stop();
  }
}
