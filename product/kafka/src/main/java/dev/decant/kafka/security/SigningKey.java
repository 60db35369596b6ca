package dev.decant.kafka.security;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.interfaces.ECKey;
import java.security.interfaces.RSAKey;
import java.security.spec.KeySpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Reads a private key from a PEM file (RFC 7468) with a block of PKCS#8, encrypted or not. */
final class SigningKey {
  private static final String PLAIN = "PRIVATE KEY";
  private static final String ENCRYPTED = "ENCRYPTED PRIVATE KEY";
  private static final int LEAST_RSA_BITS = 2048;
  private static final int BITS_OF_P256 = 256;

  private SigningKey() {}

  static PrivateKey read(Path file, char[] password, boolean isRsa) throws IOException {
    byte[] pem = SecretFile.read(file, "the private key");
    String text = new String(pem, StandardCharsets.ISO_8859_1);
    Arrays.fill(pem, (byte) 0);
    byte[] content = block(text, PLAIN, file);
    byte[] encrypted = content.length > 0 ? new byte[0] : block(text, ENCRYPTED, file);
    if (content.length == 0 && encrypted.length == 0) {
      throw wrong(file, text.contains(PLAIN + "-----")
          ? "the key is not PKCS#8; make it so with: openssl pkcs8 -topk8 -in KEY -out NEW_KEY"
          : "there is no block \"-----BEGIN PRIVATE KEY-----\"");
    }
    try {
      KeySpec spec = encrypted.length > 0 ? decrypted(encrypted, password, file) : new PKCS8EncodedKeySpec(content);
      return checked(KeyFactory.getInstance(isRsa ? "RSA" : "EC").generatePrivate(spec), file);
    } catch (GeneralSecurityException e) {
      throw wrong(file,
          "the key cannot be read as one of " + (isRsa ? "RSA, for RS256" : "an elliptic curve, for ES256"));
    } finally {
      Arrays.fill(content, (byte) 0);
    }
  }

  private static byte[] block(String text, String label, Path file) {
    String begin = "-----BEGIN " + label + "-----";
    int from = text.indexOf(begin);
    int to = text.indexOf("-----END " + label + "-----");
    if (from < 0 || to < from) {
      return new byte[0];
    }
    try {
      return Base64.getMimeDecoder().decode(text.substring(from + begin.length(), to));
    } catch (IllegalArgumentException e) {
      throw wrong(file, "the block " + label + " is not Base64");
    }
  }

  private static KeySpec decrypted(byte[] content, char[] password, Path file) throws GeneralSecurityException {
    if (password.length == 0) {
      throw wrong(file, "the key is encrypted, and there is no password");
    }
    PBEKeySpec spec = new PBEKeySpec(password);
    try {
      EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(content);
      // For PBES2 (RFC 8018), the JDK's text of the parameters is the name of the cipher.
      String name = info.getAlgName();
      String cipherName = name.equals("PBES2") || name.equals("1.2.840.113549.1.5.13")
          ? info.getAlgParameters().toString()
          : name;
      Cipher cipher = Cipher.getInstance(cipherName);
      cipher.init(Cipher.DECRYPT_MODE, SecretKeyFactory.getInstance(cipherName).generateSecret(spec),
          info.getAlgParameters());
      return info.getKeySpec(cipher);
    } catch (GeneralSecurityException | IOException e) {
      throw wrong(file, "the key cannot be decrypted; the password is wrong, or the JDK does not have the cipher");
    } finally {
      spec.clearPassword();
    }
  }

  private static PrivateKey checked(PrivateKey key, Path file) {
    if (key instanceof RSAKey rsa && rsa.getModulus().bitLength() < LEAST_RSA_BITS) {
      throw wrong(file, "an RSA key of " + rsa.getModulus().bitLength() + " bits; RS256 wants " + LEAST_RSA_BITS
          + " at least");
    }
    if (key instanceof ECKey curve && curve.getParams().getOrder().bitLength() != BITS_OF_P256) {
      throw wrong(file, "a key of another curve than P-256, which ES256 wants");
    }
    return key;
  }

  private static AuthenticationException wrong(Path file, String what) {
    return new AuthenticationException("private key " + file + ": " + what);
  }
}
