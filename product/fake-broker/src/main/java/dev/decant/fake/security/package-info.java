/** Logins of clients, and their rights. Owner of the loop only. */
@NullMarked
package dev.decant.fake.security;

import org.jspecify.annotations.NullMarked;
