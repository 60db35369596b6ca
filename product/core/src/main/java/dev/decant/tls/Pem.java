package dev.decant.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * Reads PEM (RFC 7468): blocks of Base64 between BEGIN and END lines, with any text around them.
 *
 * <pre>
 *   -----BEGIN CERTIFICATE-----
 *   MIIB...
 *   -----END CERTIFICATE-----
 * </pre>
 */
final class Pem {
  private static final String BEGIN = "-----BEGIN ";
  private static final String END = "-----END ";
  private static final String DASHES = "-----";

  /** A decoded block. */
  static final class Block {
    private final String label;
    private final byte[] content;

    Block(String label, byte[] content) {
      this.label = label;
      this.content = content;
    }
  }

  private Pem() {}

  static List<Block> blocks(byte[] pem, String source) throws TlsKeyException {
    // Holds a private key as Base64, reachable during this call only.
    String text = new String(pem, StandardCharsets.ISO_8859_1);
    List<Block> blocks = new ArrayList<>();
    int at = 0;
    while ((at = text.indexOf(BEGIN, at)) >= 0) {
      int labelEnd = text.indexOf(DASHES, at + BEGIN.length());
      String label = labelEnd < 0 ? "" : text.substring(at + BEGIN.length(), labelEnd);
      String ending = END + label + DASHES;
      int end = labelEnd < 0 ? -1 : text.indexOf(ending, labelEnd);
      if (end < 0) {
        throw new TlsKeyException(source + ": a PEM block begins and has no line \"" + END + "...\"", null);
      }
      try {
        blocks.add(new Block(label, Base64.getMimeDecoder().decode(text.substring(labelEnd + DASHES.length(), end))));
      } catch (IllegalArgumentException e) {
        throw new TlsKeyException(source + ": the PEM block " + label + " is not Base64", null);
      }
      at = end + ending.length();
    }
    return blocks;
  }

  /** Returns the certificates in order, without other blocks. */
  static List<X509Certificate> certificates(List<Block> blocks, String source) throws TlsKeyException {
    List<X509Certificate> certificates = new ArrayList<>();
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      for (Block block : blocks) {
        if (block.label.equals("CERTIFICATE") || block.label.equals("X509 CERTIFICATE")) {
          certificates.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(block.content)));
        }
      }
    } catch (GeneralSecurityException e) {
      throw new TlsKeyException(source + ": certificate " + (certificates.size() + 1) + " cannot be read: "
          + FailureKinds.oneLine(e), e);
    }
    if (certificates.isEmpty()) {
      throw new TlsKeyException(source + " has no block \"" + BEGIN + "CERTIFICATE-----\"", null);
    }
    return certificates;
  }

  static PrivateKey privateKey(List<Block> blocks, char[] password, String source) throws TlsKeyException {
    for (Block block : blocks) {
      switch (block.label) {
        case "PRIVATE KEY" -> {
          return decode(new PKCS8EncodedKeySpec(block.content), source);
        }
        case "ENCRYPTED PRIVATE KEY" -> {
          return decode(decrypt(block.content, password, source), source);
        }
        default -> {
          if (block.label.endsWith(" PRIVATE KEY")) {
            throw new TlsKeyException(
                source + ": a key of the form \"" + block.label + "\" is not read; make PKCS#8 of"
                    + " it with: openssl pkcs8 -topk8 -in KEY -out NEW_KEY",
                null);
          }
        }
      }
    }
    throw new TlsKeyException(source + " has no block \"" + BEGIN + "PRIVATE KEY-----\" or \"" + BEGIN
        + "ENCRYPTED PRIVATE KEY-----\"", null);
  }

  private static PKCS8EncodedKeySpec decrypt(byte[] content, char[] password, String source) throws TlsKeyException {
    if (password.length == 0) {
      throw new TlsKeyException(source + ": the private key is encrypted, and no password is set", null);
    }
    PBEKeySpec spec = new PBEKeySpec(password);
    try {
      EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(content);
      // With PBES2 (RFC 8018) the algorithm name is in the parameters, whose text in the JDK is the name of the cipher.
      String algorithm = info.getAlgName();
      if (algorithm.equals("PBES2") || algorithm.equals("1.2.840.113549.1.5.13")) {
        algorithm = info.getAlgParameters().toString();
      }
      SecretKey key = SecretKeyFactory.getInstance(algorithm).generateSecret(spec);
      Cipher cipher = Cipher.getInstance(algorithm);
      cipher.init(Cipher.DECRYPT_MODE, key, info.getAlgParameters());
      return info.getKeySpec(cipher);
    } catch (GeneralSecurityException | IOException e) {
      throw new TlsKeyException(source + ": the private key cannot be decrypted; the password is wrong, or the JDK has "
          + "not the cipher (" + FailureKinds.oneLine(e) + ")", e);
    } finally {
      spec.clearPassword();
    }
  }

  private static PrivateKey decode(PKCS8EncodedKeySpec spec, String source) throws TlsKeyException {
    byte[] encoded = spec.getEncoded();
    try {
      return KeyFactory.getInstance(algorithm(encoded)).generatePrivate(spec);
    } catch (GeneralSecurityException | RuntimeException e) { // broken DER makes the JDK throw any of these
      throw new TlsKeyException(source + ": the private key cannot be read: " + FailureKinds.oneLine(e), null);
    } finally {
      Arrays.fill(encoded, (byte) 0);
    }
  }

  /**
   * Returns the identifier of the key's algorithm (RFC 5208).
   *
   * <pre>
   *   30 len                PrivateKeyInfo
   *      02 01 00           version
   *      30 len             AlgorithmIdentifier
   *         06 len ...      the identifier
   * </pre>
   */
  private static String algorithm(byte[] der) {
    int at = contentOf(der, 0, 0x30);
    int version = contentOf(der, at, 0x02);
    int identifier = contentOf(der, version + der[version - 1], 0x30);
    int from = contentOf(der, identifier, 0x06);
    int to = from + der[from - 1];
    StringBuilder text = new StringBuilder().append(Math.min(der[from] / 40, 2)).append('.').append(der[from] % 40);
    long arc = 0;
    for (int i = from + 1; i < to; i++) {
      arc = (arc << 7) | (der[i] & 0x7F);
      if (der[i] >= 0) {
        text.append('.').append(arc);
        arc = 0;
      }
    }
    return text.toString();
  }

  private static int contentOf(byte[] der, int at, int tag) {
    if (der[at] != tag) {
      throw new IllegalArgumentException("not the DER of PKCS#8");
    }
    int length = der[at + 1];
    return length >= 0 ? at + 2 : at + 2 + (length & 0x7F);
  }
}
