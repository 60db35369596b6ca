/**
 * The cost of a client's work without the client: loops over a blocking connection to the broker, and loops of the JDK
 * alone. Clients are compared with these naive forms.
 */
@NullMarked
package dev.decant.lab.driver.bare;

import org.jspecify.annotations.NullMarked;
