"""Where a request comes from, as far as it can be believed."""

from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

# Whoever has one address of IPv6 has all that share its first 64 bits.
ONE_HOUSEHOLD = 64


def of(request: HttpRequest) -> str | None:
    """None when nobody can tell, as with a unix socket and no proxy that is trusted."""
    return _as_counted(_forwarded(request)) or _as_counted(request.META.get("REMOTE_ADDR", ""))


def _forwarded(request: HttpRequest) -> str:
    """What the outermost trusted proxy saw: each appends its caller. All to the left may be forged."""
    hops = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    trusted = settings.SIMPLEMQ_TRUSTED_PROXIES
    return hops[-trusted].strip() if 0 < trusted <= len(hops) else ""


def _as_counted(text: str) -> str | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ip_network((int(address), ONE_HOUSEHOLD), strict=False).network_address)
